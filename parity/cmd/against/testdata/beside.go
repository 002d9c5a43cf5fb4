// Beside measures two versions of this module beside the reference. Command against builds it.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	now "github.com/crdkit/crdkit/parity/internal/bench"
	then "github.com/crdkit/crdkit/parity/then/parity/internal/bench"
)

func main() {
	rounds := flag.Int("rounds", 7, "")
	each := flag.Duration("each", 20*time.Millisecond, "")
	operation := flag.String("op", "", "")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	if err := measure(*rounds, *each, *operation); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(rounds int, each time.Duration, prefix string) error {
	subjects, err := all(now.Files, now.Wide)
	if err != nil {
		return err
	}
	earlier, err := all(then.Files, then.Wide)
	if err != nil {
		return err
	}
	fmt.Print("| operation | reference / then | reference / now | then / now, mean | least | of |\n|---|--:|--:|--:|--:|---|\n")
	operations := then.Operations()
	for _, o := range now.Operations() {
		i := slices.IndexFunc(operations, func(t then.Operation) bool { return t.Name == o.Name })
		if i < 0 || o.Scale || !strings.HasPrefix(o.Name, prefix) {
			continue
		}
		var ofThen, ofNow, faster []float64
		least, name := 0.0, ""
		for _, s := range subjects {
			j := slices.IndexFunc(earlier, func(t *then.Subject) bool { return t.Name == s.Name })
			if j < 0 || !o.On(s) || !operations[i].On(earlier[j]) {
				continue
			}
			f := now.Measure(rounds, each,
				operations[i].Sides[0].Prepare(earlier[j]), o.Sides[0].Prepare(s), o.Sides[1].Prepare(s))
			ofThen = append(ofThen, f[2].Nanoseconds/f[0].Nanoseconds)
			ofNow = append(ofNow, f[2].Nanoseconds/f[1].Nanoseconds)
			r := f[0].Nanoseconds / f[1].Nanoseconds
			if faster = append(faster, r); name == "" || r < least {
				least, name = r, s.Name
			}
		}
		fmt.Printf("| %s | %.1fx | %.1fx | %.2f | %.2f | %s |\n",
			o.Name, now.Mean(ofThen), now.Mean(ofNow), now.Mean(faster), least, name)
	}
	return nil
}

func all[S any](files func(string) ([]S, error), wide func() ([]S, error)) ([]S, error) {
	subjects, err := files("testdata")
	if err != nil {
		return nil, err
	}
	made, err := wide()
	return append(subjects, made...), err
}
