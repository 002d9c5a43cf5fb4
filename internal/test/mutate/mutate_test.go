package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// counting is a module of two packages, whose tests miss one thing.
var counting = map[string]string{
	"go.mod": "module example.com/counting\n\ngo 1.25\n",
	"count/count.go": `package count

import "errors"

// Below returns how many of list are below limit.
func Below(list []int, limit int) (n int, err error) {
	if list == nil {
		return 0, errors.New("no list")
	}
	for i := 0; i < len(list); i++ {
		if list[i] < limit && list[i] != 7 {
			n++
		}
	}
	return n, nil
}

func difference(a, b int) int { return a - b }

// Spread is noticed by the other package only.
func Spread(a, b int) int { return difference(a, b) }

func kind(v any) string {
	switch v.(type) {
	case int, int64:
		return "number"
	}
	return [...]string{"other", "none"}[0]
}
`,
	"count/count_test.go": `package count

import "testing"

func Test(t *testing.T) {
	if n, err := Below([]int{1, 2, 3}, 3); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := Below(nil, 3); err == nil {
		t.Fatal("no error")
	}
}
`,
	"use/use.go":      "package use\n\nimport \"example.com/counting/count\"\n\nfunc Spread() int { return count.Spread(5, 2) }\n",
	"use/use_test.go": "package use\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {\n\tif Spread() != 3 {\n\t\tt.Fatal(Spread())\n\t}\n}\n",
}

func load(t *testing.T, files map[string]string) *module {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	m, err := loadModule(dir)
	require.NoError(t, err)
	return m
}

func keys(list []*mutation) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.key)
	}
	return out
}

func TestMutations(t *testing.T) {
	m := load(t, counting)
	queue, err := m.queue(1, regexp.MustCompile("^count/"))
	require.NoError(t, err)
	got := keys(choose(queue, 1000))
	slices.Sort(got)
	require.Equal(t, []string{
		"count/count.go Below: delete `n++`",
		"count/count.go Below: negate `i < len(list)`",
		"count/count.go Below: negate `list == nil`",
		"count/count.go Below: negate `list[i] < limit && list[i] != 7`",
		"count/count.go Below: number `0` in `for i := 0; i < len(list); i++ {` -> `1`",
		"count/count.go Below: number `7` in `if list[i] < limit && list[i] != 7 {` -> `8`",
		"count/count.go Below: operator `!=` in `list[i] != 7` -> `==`",
		"count/count.go Below: operator `&&` in `list[i] < limit && list[i] != 7` -> `||`",
		"count/count.go Below: operator `<` in `i < len(list)` -> `<=`",
		"count/count.go Below: operator `<` in `list[i] < limit` -> `<=`",
		"count/count.go Below: result `n` in `return n, nil` -> `0`",
		"count/count.go Spread: result `difference(a, b)` in `return difference(a, b)` -> `0`",
		"count/count.go Spread: swap `a, b` in `difference(a, b)` -> `b, a`",
		"count/count.go difference: operator `-` in `a - b` -> `+`",
		"count/count.go difference: result `a - b` in `return a - b` -> `0`",
		"count/count.go kind: drop `\"other\",`",
		"count/count.go kind: drop `, \"none\"`",
		"count/count.go kind: drop `, int64` in `case int, int64`",
		"count/count.go kind: drop `case int, int64: return \"number\"`",
		"count/count.go kind: drop `int,` in `case int, int64`",
		"count/count.go kind: number `0` in `return [...]string{\"other\", \"none\"}[0]` -> `1`",
		"count/count.go kind: result `\"number\"` in `return \"number\"` -> `\"\"`",
		"count/count.go kind: result `[...]string{\"other\", \"none\"}[0]` in `return [...]string{\"other\", \"none\"}[0]` -> `\"\"`",
	}, got)
}

// Each equivalent is a mutation of the code as it is.
func TestEquivalents(t *testing.T) {
	m, err := loadModule("../../..")
	require.NoError(t, err)
	var files []string
	for key := range equivalents {
		file, _, _ := strings.Cut(key, " ")
		files = append(files, regexp.QuoteMeta(file))
	}
	queue, err := m.queue(1, regexp.MustCompile("^("+strings.Join(files, "|")+") "))
	require.NoError(t, err)
	require.Subset(t, keys(queue), slices.Collect(maps.Keys(equivalents)))
}

// The choice depends on the seed, and little on what else changes in the code.
func TestChoice(t *testing.T) {
	chosen := func(files map[string]string, seed uint64) []string {
		queue, err := load(t, files).queue(seed, regexp.MustCompile(""))
		require.NoError(t, err)
		return keys(choose(queue, 10))
	}
	before := chosen(counting, 1)
	require.Equal(t, before, chosen(counting, 1))
	require.NotEqual(t, before, chosen(counting, 2))

	changed := map[string]string{}
	for name, text := range counting {
		changed[name] = strings.Replace(text, "// Below returns", "func first(list []int) int { return list[0] + 1 }\n\n// Below returns", 1)
	}
	same := 0
	for _, key := range chosen(changed, 1) {
		if slices.Contains(before, key) {
			same++
		}
	}
	require.GreaterOrEqual(t, same, 8)
}

func TestEvaluate(t *testing.T) {
	m := load(t, counting)
	queue, err := m.queue(1, regexp.MustCompile(""))
	require.NoError(t, err)
	for start, want := range map[string]string{
		"count/count.go Below: negate `list == nil`":   "count",
		"count/count.go Below: negate `i < len(list)`": "count",
		"count/count.go difference: operator `-`":      "use",
		"count/count.go Below: number `7`":             "",
		"count/count.go kind: drop `, int64`":          "",
		"use/use.go Spread: swap `5, 2`":               "use",
	} {
		i := slices.IndexFunc(queue, func(m *mutation) bool { return strings.HasPrefix(m.key, start) })
		require.GreaterOrEqual(t, i, 0, start)
		v := evaluate(t.Context(), queue[i], time.Minute)
		require.NoError(t, v.err)
		require.Equal(t, want, v.noticedBy, start)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, evaluate(ended, queue[0], time.Minute).err)
}

func TestReport(t *testing.T) {
	made := func(key, noticedBy string) verdict {
		return verdict{mutation: &mutation{key: key, file: &file{name: "a.go", text: []byte("a\nb\n")}, start: 2}, noticedBy: noticedBy}
	}
	for _, tt := range []struct {
		verdicts []verdict
		want     string
		ok       bool
	}{
		{[]verdict{made("a", "p"), made("b", "q")}, "seed 5: 2 of 2 mutations noticed, in 0 seconds of CPU\n", true},
		{[]verdict{made("a", "p"), made("b", "")},
			"not noticed (0.0s): b\n\ta.go:2\nseed 5: 1 of 2 mutations noticed, in 0 seconds of CPU\n", false},
		{[]verdict{made("a", "p"), made("known", "")},
			"equivalent (0.0s): known: why\nseed 5: 1 of 2 mutations noticed, in 0 seconds of CPU\n", true},
		{[]verdict{made("known", "p"), made("b", "q")},
			"noticed by p, though listed as equivalent: known\nseed 5: 2 of 2 mutations noticed, in 0 seconds of CPU\n", true},
		{[]verdict{made("known", ""), made("known", "")},
			"equivalent (0.0s): known: why\nequivalent (0.0s): known: why\nseed 5: 0 of 2 mutations noticed, in 0 seconds of CPU\n", false},
		{[]verdict{made("a", "p")}, "seed 5: 1 of 1 mutations noticed, in 0 seconds of CPU\nno time for 1 more\n", true},
		{nil, "seed 5: 0 of 0 mutations noticed, in 0 seconds of CPU\nno time for 2 more\n", false},
		{[]verdict{made("a", "p"), {mutation: &mutation{key: "b"}, err: errors.New("broken")}},
			"not tested: b: broken\nseed 5: 1 of 2 mutations noticed, in 0 seconds of CPU\n", false},
	} {
		var out strings.Builder
		r := report{config: config{seed: 5, want: 50, known: map[string]string{"known": "why"}}, w: &out}
		for _, v := range tt.verdicts {
			r.add(v)
		}
		require.Equal(t, tt.ok, r.end(2), tt.want)
		require.Equal(t, tt.want, out.String())
	}
}
