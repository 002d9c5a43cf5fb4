package parity

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crdkit/crdkit/internal/test/given"
)

// A count is what PARITY.md says of a comparison.
type count struct {
	pkg, functions, reference string
	cases, outcomes, found    int
}

var (
	countsLock sync.Mutex
	counts     []count
)

func record(c comparison, cases int, t tally) {
	countsLock.Lock()
	defer countsLock.Unlock()
	counts = append(counts, count{c.pkg, c.functions, c.reference, cases, t.outcomes, t.found})
}

// TestMain compares the counts of the tests that ran with those in PARITY.md, or writes them there.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if code == 0 && *casesFlag == 0 && *caseFlag < 0 && *seedFlag == 1 {
		if err := counted(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

const countsFile = "PARITY.md"

func counted() error {
	slices.SortFunc(counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.functions, b.functions), cmp.Compare(a.reference, b.reference))
	})
	if given.Update() {
		if flag.Lookup("test.run").Value.String() != "" {
			return fmt.Errorf("%s needs the counts of all tests: leave out -run", countsFile)
		}
		return os.WriteFile(countsFile, []byte(countsDocument()), 0o644)
	}
	text, err := os.ReadFile(countsFile)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	for _, c := range counts {
		if !slices.Contains(lines, c.row()) {
			return fmt.Errorf("%s has other counts for %s.%s; run with -update. The row would be\n%s", countsFile, c.pkg, c.functions, c.row())
		}
	}
	return nil
}

func (c count) row() string {
	return fmt.Sprintf("| `%s` | %s | %s | %d | %d | %d |", c.pkg, c.functions, c.reference, c.cases, c.outcomes, c.found)
}

func countsDocument() string {
	var b strings.Builder
	b.WriteString(`# Parity

What the tests of this directory have compared with Kubernetes 1.37 (k8s.io/apiextensions-apiserver v0.37.2), and found
equal. The table is written by ` + "`go test . -update`" + `, and compared by every other run of the tests.

A case is a schema with four objects, or one value where there is no schema. Each is asked one or more questions.
"Found" counts those in which the reference had something to say: an error, a field to drop, a default to fill in.

| Package | Functions | Compared with | Cases | Questions | Found |
|---|---|---|---|---|---|
`)
	var total count
	for _, c := range counts {
		fmt.Fprintln(&b, c.row())
		total.cases += c.cases
		total.outcomes += c.outcomes
		total.found += c.found
	}
	fmt.Fprintf(&b, "| all | | | %d | %d | %d |\n", total.cases, total.outcomes, total.found)
	return b.String()
}
