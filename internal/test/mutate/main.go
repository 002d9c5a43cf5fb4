package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"sync"
	"time"
)

type config struct {
	dir      string
	seed     uint64
	count    int // of mutations
	want     int // the required number of noticed mutations out of a hundred
	parallel int
	limit    time.Duration  // of all
	match    *regexp.Regexp // for the keys
	verbose  bool
	known    map[string]string // equivalent mutations, with reasons
}

func main() {
	c := config{dir: ".", want: 96, known: equivalents}
	flag.Uint64Var(&c.seed, "seed", 1, "chooses other mutations")
	flag.IntVar(&c.count, "n", 100, "how many mutations to make")
	flag.IntVar(&c.parallel, "parallel", 2, "how many mutations to test at a time")
	flag.DurationVar(&c.limit, "limit", 15*time.Minute, "start no tests after that long; at least half of the mutations must have been tested by then")
	match := flag.String("match", "", "make only mutations whose names match this regular expression, such as ^internal/format/")
	flag.BoolVar(&c.verbose, "v", false, "print each mutation with the package that noticed it")
	flag.Parse()
	var err error
	if c.match, err = regexp.Compile(*match); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
	ok, err := run(c, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

const (
	memory  = 4 << 30          // the memory limit of each process
	timeout = 30 * time.Second // of the tests of a package
)

// run makes the mutations and reports whether the tests notice enough of them.
func run(c config, w io.Writer) (bool, error) {
	if err := limitMemory(memory); err != nil {
		return false, err
	}
	m, err := loadModule(c.dir)
	if err != nil {
		return false, err
	}
	queue, err := m.queue(c.seed, c.match)
	if err != nil {
		return false, err
	}
	chosen := choose(queue, c.count)
	r := report{config: c, w: w}
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	next := make(chan *mutation)
	var workers sync.WaitGroup
	for range c.parallel {
		workers.Go(func() {
			for m := range next {
				if v := evaluate(ctx, m, timeout); ctx.Err() == nil {
					r.add(v)
				}
			}
		})
	}
	for _, m := range chosen {
		next <- m
	}
	close(next)
	workers.Wait()
	return r.end(len(chosen)), nil
}

// A report counts the verdicts and prints them.
type report struct {
	config
	w io.Writer

	mu              sync.Mutex
	tested, noticed int
	cpu             time.Duration
	failed          bool // because of an unknown survivor, or a mutation that could not be tested
}

func (r *report) add(v verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tested++
	r.cpu += v.cpu
	why, known := r.known[v.key]
	switch {
	case v.err != nil:
		r.failed = true
		fmt.Fprintf(r.w, "not tested: %s: %v\n", v.key, v.err)
	case v.noticedBy != "":
		r.noticed++
		if known {
			fmt.Fprintf(r.w, "noticed by %s, though listed as equivalent: %s\n", v.noticedBy, v.key)
		} else if r.verbose {
			fmt.Fprintf(r.w, "noticed by %s in %.1fs: %s\n", v.noticedBy, v.cpu.Seconds(), v.key)
		}
	case known:
		fmt.Fprintf(r.w, "equivalent (%.1fs): %s: %s\n", v.cpu.Seconds(), v.key, why)
	default:
		r.failed = true
		fmt.Fprintf(r.w, "not noticed (%.1fs): %s\n\t%s:%d\n", v.cpu.Seconds(), v.key, v.file.name, v.line())
	}
}

// end prints the counts and reports whether they are sufficient.
func (r *report) end(chosen int) bool {
	fmt.Fprintf(r.w, "seed %d: %d of %d mutations noticed, in %.0f seconds of CPU\n", r.seed, r.noticed, r.tested, r.cpu.Seconds())
	if r.tested < chosen {
		fmt.Fprintf(r.w, "no time for %d more\n", chosen-r.tested)
	}
	return !r.failed && r.noticed*100 >= r.tested*r.want && r.tested*2 >= chosen
}
