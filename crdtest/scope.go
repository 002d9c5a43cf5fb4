package crdtest

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// A Scope selects rows of a [Report]: those that match all of its fields. An empty field matches every row, so the zero
// Scope selects all.
//
// Definitions that embed Kubernetes types, such as a pod template, have hundreds of constraints that are not a
// project's own:
//
//	crds.RequireCoverage(t, 0.9,
//		crdtest.Scope{Kinds: []string{"Cluster"}, Paths: []string{"spec"},
//			Except: []string{"spec.affinity", "spec.template"}},
//		crdtest.Scope{Kinds: []string{"Backup", "Pooler"}, RulesOnly: true})
type Scope struct {
	Kinds    []string // of objects: Cluster, or Cluster.example.com
	Versions []string // v1
	// Paths are fields, each including everything below it: spec.ports includes spec.ports[*].name.
	Paths []string
	// Except are excluded fields, each including everything below it, or single rows as reports name them: spec.size:
	// maximum 10.
	Except []string
	// RulesOnly excludes constraints.
	RulesOnly bool
}

// has reports whether the scope selects a row.
func (c Scope) has(r Row) bool {
	return (len(c.Kinds) == 0 || slices.ContainsFunc(c.Kinds, r.isOf)) &&
		(len(c.Versions) == 0 || slices.Contains(c.Versions, r.Version)) &&
		(len(c.Paths) == 0 || slices.ContainsFunc(c.Paths, r.isAt)) &&
		!slices.ContainsFunc(c.Except, r.isCalled) &&
		(!c.RulesOnly || r.Kind == kindRule)
}

// isOf reports whether a row belongs to objects of a kind.
func (r Row) isOf(kind string) bool {
	_, group, _ := strings.Cut(r.Definition, ".")
	return kind == r.Object || kind == r.Object+"."+group
}

// isAt reports whether a row is about a field, or something below it.
func (r Row) isAt(path string) bool {
	path = indices.ReplaceAllString(undotted(path), "[*]")
	rest, ok := strings.CutPrefix(r.Path, path)
	return ok && (rest == "" || path == "" || rest[0] == '.' || rest[0] == '[')
}

func (r Row) isCalled(name string) bool { return r.isAt(name) || r.name() == undotted(name) }

// Only returns the rows of r that at least one of the scopes selects, or all of them without a scope. NotLooked stays.
func (r Report) Only(scopes ...Scope) Report {
	if len(scopes) == 0 {
		return r
	}
	r.Rows = slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool {
		return !slices.ContainsFunc(scopes, func(c Scope) bool { return c.has(row) })
	})
	return r
}

// check returns an error for a scope that names something no row is about: it would select less than it seems to, or
// exclude nothing.
func (r Report) check(scopes []Scope) error {
	for _, c := range scopes {
		for _, m := range []struct {
			member string
			names  []string
			fits   func(Row, string) bool
		}{
			{"Kinds", c.Kinds, Row.isOf},
			{"Versions", c.Versions, func(r Row, name string) bool { return r.Version == name }},
			{"Paths", c.Paths, Row.isAt},
			{"Except", c.Except, Row.isCalled},
		} {
			for _, name := range m.names {
				if !slices.ContainsFunc(r.Rows, func(r Row) bool { return m.fits(r, name) }) {
					return fmt.Errorf("no constraint or rule matches %q, one of Scope.%s", name, m.member)
				}
			}
		}
		if !slices.ContainsFunc(r.Rows, c.has) {
			return fmt.Errorf("no constraint or rule matches the scope %+v", c)
		}
	}
	return nil
}

// partialRun reports whether the flags of the test binary select some of its tests.
func partialRun(flags *flag.FlagSet) bool {
	for _, name := range []string{"test.run", "test.skip"} {
		if f := flags.Lookup(name); f != nil && !slices.Contains([]string{"", ".", ".*"}, f.Value.String()) {
			return true
		}
	}
	return false
}
