package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// notMutated are packages that are not in any user's build, which have tests or their helpers; and the search for
// samples, which consists mostly of heuristics: any sample is acceptable, and the rest of the library validates it.
var notMutated = []string{"examples/", "internal/test/given/", "internal/test/hostile/",
	"internal/test/mutate/", "internal/test/repo/", "internal/tool/sample/", "internal/test/scenario/", "server/storage/storagetest/"}

// eachPackage is the number of mutations that each package gets before the rest are chosen from all packages.
const eachPackage = 1

// queue returns the mutations whose keys match, in the order in which they are to be made. The first mutations of each
// package come first.
func (m *module) queue(seed uint64, match *regexp.Regexp) ([]*mutation, error) {
	var first, rest []*mutation
	byRank := func(a, b *mutation) int {
		return cmp.Or(cmp.Compare(a.rank(seed), b.rank(seed)), strings.Compare(a.key, b.key))
	}
	for _, p := range m.packages {
		name := m.short(p.ImportPath)
		if slices.ContainsFunc(notMutated, func(not string) bool { return strings.HasPrefix(name+"/", not) }) {
			continue
		}
		s, err := m.load(p)
		if err != nil {
			return nil, err
		}
		all := slices.DeleteFunc(s.mutations(), func(m *mutation) bool { return !match.MatchString(m.key) })
		slices.SortFunc(all, byRank)
		for len(all) > 0 && !all[0].compiles() {
			all = all[1:]
		}
		n := min(eachPackage, len(all))
		first = append(first, all[:n]...)
		rest = append(rest, all[n:]...)
	}
	slices.SortFunc(first, byRank)
	slices.SortFunc(rest, byRank)
	return append(first, rest...), nil
}

// choose returns the first n mutations of the queue that compile.
func choose(queue []*mutation, n int) []*mutation {
	var chosen []*mutation
	for _, m := range queue {
		if len(chosen) == n {
			break
		}
		if m.compiles() {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

func (m *mutation) compiles() bool { return m.in.compiles(m.file, m.text()) }
