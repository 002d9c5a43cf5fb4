package parity

import (
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/schema"
)

var (
	casesFlag    = flag.Int("cases", 0, "cases of each test; 0: each test's own number")
	seedFlag     = flag.Uint64("seed", 1, "seed of the cases")
	caseFlag     = flag.Int("case", -1, "only the case of that number")
	failuresFlag = flag.Int("failures", 3, "differences that a test shows")
	shrinkFlag   = flag.Bool("shrink", true, "make the samples that differ smaller, which takes minutes for a flow")
)

// A comparison is what is asked of both sides.
type comparison struct {
	pkg       string // of this module
	functions string // there
	reference string // what they are compared with
	cases     int
	draw      func(*gen.Source) any // the sample of a case: JSON data, so that it can be made smaller
	ask       func(sample any) []outcome
	tries     int // how often both sides are asked before they count as different; 0: a common number
}

// An outcome is one question with the answers of both sides.
type outcome struct {
	ours, theirs any
	found        bool // the reference found something: an error, something to change
}

// run compares all cases, and fails for those that differ.
func (c comparison) run(t *testing.T) {
	t.Helper()
	n := c.cases
	if *casesFlag > 0 {
		n = *casesFlag
	}
	first := 0
	if *caseFlag >= 0 {
		first, n = *caseFlag, *caseFlag+1
	}
	workers := runtime.GOMAXPROCS(0)
	tallies := make([]tally, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := first + w; i < n; i += workers {
				tallies[w].add(i, c.outcomes(c.draw(gen.Seeded(*seedFlag, uint64(i))), c.most(tries)))
			}
		})
	}
	wait.Wait()
	var all tally
	for _, one := range tallies {
		all.outcomes += one.outcomes
		all.found += one.found
		all.failed = append(all.failed, one.failed...)
	}
	slices.Sort(all.failed)
	var report strings.Builder
	for _, i := range all.failed[:min(len(all.failed), *failuresFlag)] {
		fmt.Fprintf(&report, "\ncase %d:\n%s", i, c.explain(c.draw(gen.Seeded(*seedFlag, uint64(i)))))
	}
	require.Emptyf(t, report.String(), "%d of %d cases differ", len(all.failed), n-first)
	if n >= 1000 && *caseFlag < 0 {
		require.Less(t, all.found, all.outcomes, "the reference had something to say about every sample")
		require.NotZero(t, all.found, "the reference had nothing to say about any sample")
	}
	record(c, n, all)
}

type tally struct {
	outcomes, found int
	failed          []int // cases
}

func (t *tally) add(number int, outcomes []outcome) {
	for _, o := range outcomes {
		t.outcomes++
		if o.found {
			t.found++
		}
	}
	if slices.ContainsFunc(outcomes, outcome.differs) {
		t.failed = append(t.failed, number)
	}
}

func (o outcome) differs() bool { return !reflect.DeepEqual(o.ours, o.theirs) }

// How often both sides are asked before they count as different. The reference walks Go maps in random order, and where
// it stops at the first error, that can be one of many.
const (
	tries         = 500
	triesToShrink = 20 // each step of it
)

func (c comparison) outcomes(sample any, tries int) []outcome {
	outcomes := c.once(sample)
	for range tries {
		if !slices.ContainsFunc(outcomes, outcome.differs) {
			break
		}
		for i, o := range c.once(sample) {
			if i < len(outcomes) && outcomes[i].differs() {
				outcomes[i] = o
			}
		}
	}
	return outcomes
}

// once asks once. A panic of either side is a difference.
func (c comparison) once(sample any) (outcomes []outcome) {
	defer func() {
		if r := recover(); r != nil {
			outcomes = []outcome{{ours: fmt.Sprintf("panic: %v\n%s", r, debug.Stack())}}
		}
	}()
	return c.ask(sample)
}

// most returns how often both sides are asked, at most n times.
func (c comparison) most(n int) int {
	if c.tries > 0 {
		return min(n, c.tries)
	}
	return n
}

// explain tells of the smallest part of a sample that both sides answer differently.
func (c comparison) explain(sample any) string {
	different := func(sample any) bool {
		return slices.ContainsFunc(c.outcomes(sample, c.most(triesToShrink)), outcome.differs)
	}
	if *shrinkFlag {
		sample = gen.Shrink(sample, different)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  sample:    %s\n", show(sample))
	for _, o := range c.outcomes(sample, c.most(triesToShrink)) {
		if o.differs() {
			fmt.Fprintf(&b, "  reference: %s\n  crdkit:    %s\n", show(o.theirs), show(o.ours))
		}
	}
	return b.String()
}

// show writes v as JSON in which 1.0 is not 1; a list of texts as these.
func show(v any) string {
	if texts, ok := v.([]string); ok {
		return fmt.Sprintf("%d texts\n    %s", len(texts), strings.Join(texts, "\n    "))
	}
	if text, ok := v.(string); ok {
		return text
	}
	b, err := json.Marshal(gen.InJSON(v))
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(b)
}

// listed returns errors as texts that can be compared.
func listed(errs field.List) []string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, string(e.Type)+" "+e.Error())
	}
	slices.Sort(texts)
	return texts
}

func listedReference(errs k8sfield.ErrorList) []string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, string(e.Type)+" "+e.Error())
	}
	slices.Sort(texts)
	return texts
}

// errorText returns an error's text, and an empty one for none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func errorsOutcome(ours field.List, theirs k8sfield.ErrorList) outcome {
	return outcome{listed(ours), listedReference(theirs), len(theirs) > 0}
}

// valueOutcome compares what has been made of a value.
func valueOutcome(in, ours, theirs any) outcome {
	return outcome{ours, theirs, !reflect.DeepEqual(in, theirs)}
}

// pure runs f on v, and adds an outcome if that has changed v.
func pure(v any, f func() []outcome) []outcome {
	before := reference.Copy(v)
	outcomes := f()
	if !reflect.DeepEqual(before, v) {
		outcomes = append(outcomes, outcome{ours: "the argument was modified"})
	}
	return outcomes
}

// A pair is a schema compiled by both sides.
type pair struct {
	ours   *schema.Structural
	inner  schema.Node // the schema as that of a property: not the root of a resource
	theirs *reference.Schema
}

// compile compiles a schema that need not be structural. There is no pair where a side cannot, and an outcome if the
// other one can.
func compile(doc any) (*pair, []outcome) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, nil
	}
	theirs, refused := reference.Compile(text)
	p, failed := compileOurs(text)
	if (refused != nil) != (failed != nil) {
		return nil, []outcome{{ours: fmt.Sprint(failed), theirs: fmt.Sprint(refused)}}
	}
	if refused != nil {
		return nil, nil
	}
	p.theirs = theirs
	return p, nil
}

func compileOurs(text []byte) (*pair, error) {
	props, err := schema.Decode(text)
	if err != nil {
		return nil, err
	}
	ours, err := schema.CompileLoose(props)
	if err != nil {
		return nil, err
	}
	outer, err := schema.CompileLoose(&schema.JSONSchemaProps{Properties: map[string]*schema.JSONSchemaProps{"x": props}})
	if err != nil {
		return nil, err
	}
	return &pair{ours: ours, inner: outer.Root().Property("x")}, nil
}

// oddities are how rare values are that do not fit: half of the objects have next to none.
var oddities = []int{100, 12, 6, 100}

// objectsOf makes a schema with whole objects for it.
func objectsOf(o gen.Schemas) func(*gen.Source) any {
	return func(s *gen.Source) any {
		p := gen.Schema(s, o)
		objects := given.List(4, func(int) any { return gen.Object{Source: s, Odd: gen.Pick(s, oddities)}.Whole(p) })
		return map[string]any{"schema": p, "objects": objects}
	}
}

// valuesOf makes a schema with values of any kind for it.
func valuesOf(o gen.Schemas) func(*gen.Source) any {
	return func(s *gen.Source) any {
		p := gen.Node(s, o)
		values := given.List(4, func(int) any { return gen.Object{Source: s, Odd: gen.Pick(s, oddities)}.Value(p, 3) })
		return map[string]any{"schema": p, "objects": values}
	}
}

// ofText asks about the JSON of a sample.
func ofText(ask func(text []byte) []outcome) func(any) []outcome {
	return func(sample any) []outcome {
		text, err := json.Marshal(sample)
		if err != nil {
			return nil
		}
		return ask(text)
	}
}

// each asks about all objects of a sample that objectsOf or valuesOf made.
func each(ask func(p *pair, v any) []outcome) func(any) []outcome {
	return func(sample any) []outcome {
		m, _ := sample.(map[string]any)
		doc, has := m["schema"]
		if !has {
			return nil
		}
		p, outcomes := compile(doc)
		if p == nil {
			return outcomes
		}
		objects, _ := m["objects"].([]any)
		for _, v := range objects {
			outcomes = append(outcomes, pure(v, func() []outcome { return ask(p, v) })...)
		}
		return outcomes
	}
}

// eachObject is each for questions about whole objects.
func eachObject(ask func(p *pair, obj map[string]any) []outcome) func(any) []outcome {
	return each(func(p *pair, v any) []outcome {
		obj, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		return ask(p, obj)
	})
}
