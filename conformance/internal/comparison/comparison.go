// Package comparison asks a real API server and the library the same, counts the answers that are equal, and makes
// scenarios with different answers smaller.
package comparison

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crdkit/crdkit/conformance/internal/requests"
	"github.com/crdkit/crdkit/internal/test/scenario"
	"github.com/crdkit/crdkit/server"
)

// Options say what is compared. They are the program's flags.
type Options struct {
	Cases  int           // requests, at least
	Only   int           // the number of the only scenario, or -1
	Hooks  bool          // ask with conversion webhooks that misbehave, instead of with generated scenarios
	Show   int           // differences to print
	Shrink time.Duration // for each of them
	Seed   uint64
	Record string // the name of a file, or empty
}

const (
	parallel = 4 // scenarios at a time
	attempts = 4 // how often a scenario is played before the answers count as different: a server's can be random
)

// A comparison asks both servers the same, and counts.
type comparison struct {
	Options
	w             io.Writer
	real, library scenario.Player
	groups        atomic.Int64 // that have been used
	crashes       atomic.Int64 // of the real server
	hooks         []scenario.Scenario

	mu        sync.Mutex
	asked     int
	scenarios int
	counts    map[[2]string]*count // by area and aspect
	different []difference
	recorded  map[uint64]scenario.Scenario
}

type count struct{ all, equal int }

// A difference is the first one of a scenario.
type difference struct {
	number  uint64
	request int
	result  scenario.Result
}

// Run starts the library's server and plays scenarios until enough requests have been compared. It prints the counts and
// the differences, and reports whether there are none.
func Run(ctx context.Context, o Options, real scenario.Player, w io.Writer) (bool, error) {
	ours, err := server.New(ctx, server.Options{CustomOnly: true, KeepGarbage: true})
	if err != nil {
		return false, err
	}
	defer ours.Close()
	library := &http.Client{Transport: ours.RoundTripper()}
	answer, err := library.Post("http://library/api/v1/namespaces", "application/json", strings.NewReader(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}}`))
	if err != nil {
		return false, err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		return false, fmt.Errorf("the namespace is refused: %s", answer.Status)
	}
	c := &comparison{
		Options: o, w: w, real: real, library: scenario.Player{Client: library, Base: "http://library"},
		counts: map[[2]string]*count{}, recorded: map[uint64]scenario.Scenario{},
	}
	if o.Hooks {
		hook := scenario.NewHook()
		defer hook.Close()
		c.real.Hook, c.library.Hook = hook, hook
		c.hooks = scenario.Hooks()
	}
	return c.run(ctx)
}

// scenario returns the scenario with a number.
func (c *comparison) scenario(number uint64) scenario.Scenario {
	if c.Hooks {
		return c.hooks[number]
	}
	return requests.Generate(c.Seed, number)
}

// enough reports whether no scenarios with that number and higher ones are needed.
func (c *comparison) enough(number uint64) bool {
	if c.Hooks {
		return number >= uint64(len(c.hooks))
	}
	return c.asked >= c.Cases
}

func (c *comparison) run(ctx context.Context) (bool, error) {
	start := time.Now()
	if c.Only >= 0 {
		if err := c.judge(ctx, uint64(c.Only)); err != nil {
			return false, err
		}
	} else if err := c.all(ctx); err != nil {
		return false, err
	}
	c.print(time.Since(start))
	slices.SortFunc(c.different, func(a, b difference) int { return cmp.Compare(a.number, b.number) })
	for i, d := range c.different {
		if i == c.Show {
			fmt.Fprintf(c.w, "\n%d differences more are not shown\n", len(c.different)-i)
			break
		}
		c.explain(ctx, d)
	}
	if c.Record != "" {
		if err := c.save(); err != nil {
			return false, err
		}
	}
	return len(c.different) == 0, ctx.Err()
}

// all plays scenarios in batches whose numbers do not depend on how fast the servers are.
func (c *comparison) all(ctx context.Context) error {
	batch := uint64(parallel)
	if c.Hooks {
		batch *= 4 // they mostly wait
	}
	for first := uint64(0); !c.enough(first); first += batch {
		errs := make([]error, batch)
		var wait sync.WaitGroup
		for i := range batch {
			if c.Hooks && first+i >= uint64(len(c.hooks)) {
				break
			}
			wait.Go(func() { errs[i] = c.judge(ctx, first+i) })
		}
		wait.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// judge plays one scenario and counts.
func (c *comparison) judge(ctx context.Context, number uint64) error {
	s := c.scenario(number)
	var want []scenario.Answer
	var results [][]scenario.Result
	for range attempts {
		var err error
		if want, results, err = c.play(ctx, s); err != nil {
			return err
		}
		if i, _ := first(results); i < 0 {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked += len(results)
	for i, all := range results {
		for _, r := range all {
			key := [2]string{s.Requests[i].Area, r.Aspect}
			if c.counts[key] == nil {
				c.counts[key] = &count{}
			}
			c.counts[key].all++
			if r.Difference == "" {
				c.counts[key].equal++
			}
		}
	}
	c.scenarios++
	if i, r := first(results); i >= 0 {
		c.different = append(c.different, difference{number, i, r})
		return nil // a bug to mend is not recorded
	}
	s.Requests = slices.Clone(s.Requests[:len(want)])
	for i := range want {
		s.Requests[i].Answer = &want[i]
	}
	c.recorded[number] = s
	return nil
}

// play plays a scenario on both servers, and compares the answers up to the first one that differs: after that the
// objects may differ.
func (c *comparison) play(ctx context.Context, s scenario.Scenario) (want []scenario.Answer, results [][]scenario.Result, err error) {
	group := fmt.Sprintf("g%05d.io", c.groups.Add(1))
	real, library := c.real, c.library
	real.Group, library.Group = group, group
	want, err = real.Play(ctx, s)
	if crashed(ctx, err) {
		c.crashes.Add(1)
	} else if err != nil {
		return nil, nil, fmt.Errorf("the real server: %w", err)
	}
	got, err := library.Play(ctx, s)
	if err != nil {
		return nil, nil, fmt.Errorf("the library: %w", err)
	}
	for i := range min(len(want), len(got)) {
		results = append(results, scenario.Compare(s.Requests[i], want[i], got[i]))
		if i, _ := first(results); i >= 0 {
			break
		}
	}
	return want, results, nil
}

// crashed reports whether an error of the real server means that it crashed while it answered a request: it closes the
// connection then. Answers before that are compared, and later requests are not sent. docs/internals/parity.md lists
// what crashes a server.
func crashed(ctx context.Context, err error) bool { return errors.Is(err, io.EOF) && ctx.Err() == nil }

// first returns the number of the first request with a difference, or -1.
func first(results [][]scenario.Result) (int, scenario.Result) {
	for i, all := range results {
		for _, r := range all {
			if r.Difference != "" {
				return i, r
			}
		}
	}
	return -1, scenario.Result{}
}

func (c *comparison) print(took time.Duration) {
	fmt.Fprintf(c.w, "%d requests in %d scenarios of seed %d, in %v\n\n", c.asked, c.scenarios, c.Seed, took.Round(100*time.Millisecond))
	areas := map[string]bool{}
	for key := range c.counts {
		areas[key[0]] = true
	}
	fmt.Fprintf(c.w, "%-18s", "")
	for _, aspect := range scenario.Aspects {
		fmt.Fprintf(c.w, "%14s", aspect)
	}
	fmt.Fprintln(c.w)
	for _, area := range slices.Sorted(maps.Keys(areas)) {
		fmt.Fprintf(c.w, "%-18s", area)
		for _, aspect := range scenario.Aspects {
			text := "-"
			if n := c.counts[[2]string{area, aspect}]; n != nil {
				if text = fmt.Sprint(n.all); n.equal < n.all {
					text = fmt.Sprintf("%d of %d", n.equal, n.all)
				}
			}
			fmt.Fprintf(c.w, "%14s", text)
		}
		fmt.Fprintln(c.w)
	}
	if n := c.crashes.Load(); n > 0 {
		fmt.Fprintf(c.w, "\nrequests that crashed the real server: %d\n", n)
	}
	if len(c.different) == 0 {
		fmt.Fprintln(c.w, "\nall answers are equal")
	} else {
		fmt.Fprintf(c.w, "\n%d scenarios have a difference\n", len(c.different))
	}
}

// save writes the scenarios without a difference, with the real server's answers.
func (c *comparison) save() error {
	f, err := os.Create(c.Record)
	if err != nil {
		return err
	}
	defer f.Close()
	var all []scenario.Scenario
	for _, number := range slices.Sorted(maps.Keys(c.recorded)) {
		all = append(all, c.recorded[number])
	}
	if err := scenario.Write(f, all); err != nil {
		return err
	}
	return f.Close()
}
