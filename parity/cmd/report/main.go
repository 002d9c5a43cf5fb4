// Report compares the speed of this module with that of the Kubernetes packages, kin-openapi and jsonschema, and prints
// the tables of docs/performance.md as Markdown. Run it in the directory of its module:
//
//	go run ./cmd/report > tables.md
//	go run ./cmd/report -op Create -rounds 20
//
// Each figure is the minimum of several interleaved rounds, with GOMAXPROCS 1, so that a side's time includes its
// garbage collection. Use an idle machine.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/parity/internal/bench"
)

type options struct {
	rounds               int
	each                 time.Duration
	operation            string
	objects, definitions string
	series, binaries     bool
	webhook              bool
	kubectlValidate      bool
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 7, "rounds; the least figure of all counts")
	flag.DurationVar(&o.each, "each", 20*time.Millisecond, "time for one side of an operation in one round")
	flag.StringVar(&o.operation, "op", "", "only operations whose name starts with this")
	flag.StringVar(&o.objects, "objects", "", "a directory with objects and objects.tsv, which names each one's definition, instead of testdata")
	flag.StringVar(&o.definitions, "definitions", "", "the directory of the definitions that objects.tsv names")
	flag.BoolVar(&o.series, "series", true, "measure how times grow with size")
	flag.BoolVar(&o.binaries, "binaries", true, "build programs, and measure their size and start")
	flag.BoolVar(&o.webhook, "webhook", true, "measure webhooks")
	flag.BoolVar(&o.kubectlValidate, "kubectl-validate", false, "measure kubectl-validate, too: the first time, this compiles another Kubernetes")
	flag.Parse()
	if side := os.Getenv(webhookSide); side != "" {
		if err := serveWebhook(side); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	runtime.GOMAXPROCS(1)
	if err := report(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func report(w io.Writer, o options) error {
	subjects, err := subjects(o)
	if err != nil {
		return err
	}
	for _, s := range subjects {
		if err := s.Check(); err != nil {
			return err
		}
	}
	describe(w, subjects)
	var summary []line
	for _, operation := range bench.Operations() {
		if strings.HasPrefix(operation.Name, o.operation) {
			l := table(w, operation, subjects, o)
			if !operation.Scale {
				summary = append(summary, l)
			}
		}
	}
	if len(summary) > 0 {
		summarise(w, summary)
	}
	if o.webhook && o.objects == "" && (o.operation == "" || o.operation == "Webhook") {
		if err := webhooks(w, subjects, o); err != nil {
			return err
		}
	}
	if o.series && o.operation == "" {
		if err := series(w, o); err != nil {
			return err
		}
	}
	if o.kubectlValidate && o.objects == "" {
		files, err := bench.Files("testdata")
		if err != nil {
			return err
		}
		if err := kubectlValidate(w, files, o); err != nil {
			return err
		}
	}
	if o.binaries && o.operation == "" {
		return binaries(w)
	}
	return nil
}

func subjects(o options) ([]*bench.Subject, error) {
	if o.objects != "" {
		return bench.Listed(o.objects, o.definitions)
	}
	all, err := bench.Files("testdata")
	if err != nil {
		return nil, err
	}
	wide, err := bench.Wide()
	return append(all, wide...), err
}

func describe(w io.Writer, subjects []*bench.Subject) {
	fmt.Fprintf(w, "%s, %s/%s, GOMAXPROCS 1, %s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, time.Now().Format(time.DateOnly))
	fmt.Fprint(w, "| subject | definition, JSON | rules | object, JSON |\n|---|--:|--:|--:|\n")
	for _, s := range subjects {
		fmt.Fprintf(w, "| %s | %.1f KB | %d | %.1f KB |\n", s.Name, kilobytes(len(s.Definition)), s.RuleCount(), kilobytes(len(s.Body)))
	}
}

func kilobytes(n int) float64 { return float64(n) / 1000 }

// A line of the summary has the result of an operation for all subjects, compared with one of the other sides.
type line struct {
	operation, what string
	least, mean     float64
}

func table(w io.Writer, operation bench.Operation, subjects []*bench.Subject, o options) line {
	fmt.Fprintf(w, "\n### %s\n\n%s\n\n| subject |", operation.Name, operation.What)
	for i, side := range operation.Sides {
		fmt.Fprintf(w, " %s |", side.Name)
		if i == 0 {
			fmt.Fprint(w, " allocs |")
		} else {
			fmt.Fprintf(w, " allocs | %s / crdkit |", side.Name)
		}
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("--:|", 3*len(operation.Sides)-1))
	ratios := make([][]float64, len(operation.Sides))
	for _, s := range subjects {
		if !operation.On(s) {
			continue
		}
		fs := make([]func(), len(operation.Sides))
		for i, side := range operation.Sides {
			fs[i] = side.Prepare(s)
		}
		fmt.Fprintf(w, "| %s |", s.Name)
		figures := bench.Measure(o.rounds, o.each, fs...)
		for i, f := range figures {
			fmt.Fprintf(w, " %s", duration(f.Nanoseconds))
			if operation.Text {
				fmt.Fprintf(w, ", %.0f MB/s", 1000*float64(len(s.Settled))/f.Nanoseconds)
			}
			fmt.Fprintf(w, " | %.0f |", f.Allocations)
			if i > 0 {
				r := f.Nanoseconds / figures[0].Nanoseconds
				ratios[i] = append(ratios[i], r)
				fmt.Fprintf(w, " %s |", times(r))
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| geometric mean | | |")
	for _, r := range ratios[1:] {
		fmt.Fprintf(w, " | | %s |", times(bench.Mean(r)))
	}
	fmt.Fprintln(w)
	return line{operation.Name, operation.What, slices.Min(ratios[1]), bench.Mean(ratios[1])}
}

func summarise(w io.Writer, lines []line) {
	fmt.Fprint(w, "\n### Summary\n\n| operation | | faster than the reference, mean | least |\n|---|---|--:|--:|\n")
	for _, l := range lines {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", l.operation, l.what, times(l.mean), times(l.least))
	}
}

func series(w io.Writer, o options) error {
	all, err := bench.AllSeries()
	if err != nil {
		return err
	}
	fmt.Fprint(w, "\n### Growth\n\nTime against size: an exponent of 1 is linear.\n\n| what grows: operation |")
	for _, n := range bench.Sizes {
		fmt.Fprintf(w, " %dx |", n)
	}
	fmt.Fprintf(w, " exponent |\n|---|%s--:|\n", strings.Repeat("--:|", len(bench.Sizes)))
	for _, s := range all {
		fmt.Fprintf(w, "| %s |", s.Name)
		var times []float64
		for _, f := range bench.Measure(o.rounds, o.each, s.Steps...) {
			times = append(times, f.Nanoseconds)
			fmt.Fprintf(w, " %s |", duration(f.Nanoseconds))
		}
		fmt.Fprintf(w, " %.2f |\n", bench.Exponent(times))
	}
	return nil
}

func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e5:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	case ns < 1e6:
		return fmt.Sprintf("%.0f µs", ns/1e3)
	case ns < 1e8:
		return fmt.Sprintf("%.1f ms", ns/1e6)
	default:
		return fmt.Sprintf("%.0f ms", ns/1e6)
	}
}

func times(r float64) string {
	if r < 10 {
		return fmt.Sprintf("%.1fx", r)
	}
	return fmt.Sprintf("%.0fx", r)
}
