package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// An answer is that of one version. Its lists are sorted.
type answer struct {
	Errors   []problem      `json:"errors,omitempty"`
	Failure  string         `json:"failure,omitempty"` // it could not be asked
	Object   map[string]any `json:"object,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Costs    []string       `json:"costs,omitempty"`
}

type problem struct {
	Type  string `json:"type"`
	Field string `json:"field"`
	Text  string `json:"text"`
}

// The kinds of differences, the worst first. A question has one difference, of the first kind that applies.
var kinds = []struct {
	name string
	part func(a *answer) any
}{
	{"decoding", func(a *answer) any { return a.Failure != "" }},
	{"verdict", func(a *answer) any { return len(a.Errors) == 0 }},
	{"type", func(a *answer) any { return a.types() }},
	{"object", func(a *answer) any { return a.Object }},
	{"warning", func(a *answer) any { return a.Warnings }},
	{"text", func(a *answer) any { return [2]any{a.Errors, a.Failure} }},
	{"cost", func(a *answer) any { return a.Costs }},
}

func (a *answer) types() []string {
	all := []string{}
	for _, p := range a.Errors {
		all = append(all, p.fieldAndType())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (p problem) fieldAndType() string { return p.Field + " " + p.Type }

// differs returns the kind of the difference between two answers, or "".
func differs(a, b *answer) string {
	for _, k := range kinds {
		if !reflect.DeepEqual(k.part(a), k.part(b)) {
			return k.name
		}
	}
	return ""
}

// A difference is a question with two answers.
type difference struct {
	kind     string
	question *question
	answers  [2]*answer
	ours     [2]*answer // crdkit's, if it is unexplained
	notAsked error      // why there is none
}

// tries is how often both versions are asked before they count as different: an answer may depend on the order of a
// map in Go.
const tries = 5

func compare(judges [2]*judge, questions []*question) ([]*difference, error) {
	var all []*difference
	for _, q := range questions {
		var seen [2][]*answer
		d := &difference{question: q}
		for range tries {
			var errs [2]error
			var both sync.WaitGroup
			for i, j := range judges {
				both.Go(func() { d.answers[i], errs[i] = j.ask(q) })
			}
			both.Wait()
			if err := errors.Join(errs[:]...); err != nil {
				return nil, err
			}
			for i, a := range d.answers {
				seen[i] = append(seen[i], a)
			}
			if d.kind = leastKind(seen); d.kind == "" {
				break
			}
		}
		if d.kind != "" {
			all = append(all, d)
		}
	}
	return all, nil
}

// panicsAfresh reports whether one of the programs panics at a question if that is its first one.
func panicsAfresh(judges [2]*judge, q *question) (bool, error) {
	for _, j := range judges {
		_ = j.stop()
		if err := j.restart(); err != nil {
			return false, err
		}
		a, err := j.ask(q)
		if err != nil {
			return false, err
		}
		if a.panicked() {
			return true, nil
		}
	}
	return false, nil
}

// leastKind returns "" if one of the answers of both sides are equal, otherwise the kind of the last two.
func leastKind(seen [2][]*answer) string {
	kind := ""
	for _, a := range seen[0] {
		for _, b := range seen[1] {
			if kind = differs(a, b); kind == "" {
				return ""
			}
		}
	}
	return kind
}

// A group is the differences of one kind that are about one subject.
type group struct {
	kind, subject string
	asked         int // questions about the subject
	differences   []*difference
}

// grouped sorts differences into groups. The subject of a difference is the function or keyword in its question of
// which the largest share of questions differ, and among equals the one with most differences.
func grouped(questions []*question, differences []*difference) []*group {
	asked, differing := map[string]int{}, map[[2]string]int{}
	for _, q := range questions {
		for subject := range q.subjects() {
			asked[subject]++
		}
	}
	for _, d := range differences {
		for subject := range d.subjects() {
			differing[[2]string{d.kind, subject}]++
		}
	}
	groups := map[[2]string]*group{}
	for _, d := range differences {
		best, share, most := "", -1.0, 0
		for _, subject := range slices.Sorted(maps.Keys(d.subjects())) {
			n := differing[[2]string{d.kind, subject}]
			if s := float64(n) / float64(max(asked[subject], 1)); s > share || s == share && n > most {
				best, share, most = subject, s, n
			}
		}
		key := [2]string{d.kind, best}
		if groups[key] == nil {
			groups[key] = &group{kind: d.kind, subject: best, asked: asked[best]}
		}
		groups[key].differences = append(groups[key].differences, d)
	}
	all := slices.Collect(maps.Values(groups))
	rank := func(g *group) int {
		return slices.IndexFunc(kinds, func(k struct {
			name string
			part func(a *answer) any
		}) bool {
			return k.name == g.kind
		})
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(rank(a)-rank(b), len(b.differences)-len(a.differences), strings.Compare(a.subject, b.subject))
	})
	return all
}

// subjects returns what a difference may be about: the pairs of texts, if those differ, or what its question uses. Of a
// definition with errors only in one version, these are the parts of the rules that the errors are about.
func (d *difference) subjects() map[string]bool {
	if d.kind != "text" {
		return d.question.subjects()
	}
	all := map[string]bool{}
	for i := range min(len(d.answers[0].Errors), len(d.answers[1].Errors)) {
		if a, b := d.answers[0].Errors[i].Text, d.answers[1].Errors[i].Text; a != b {
			all[pattern(a)+" -> "+pattern(b)] = true
			break
		}
	}
	if len(all) == 0 {
		all[pattern(d.answers[0].Failure)+" -> "+pattern(d.answers[1].Failure)] = true
	}
	return all
}

var variable = regexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`|[0-9]+|\\{[^}]*\\}")

// pattern returns an error text without the parts that are values.
func pattern(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text = variable.ReplaceAllString(text, "_")
	return cut(text, 100)
}

var called = regexp.MustCompile(`([A-Za-z_][A-Za-z_0-9.]*)\(|([=!<>+*/%?-]=?)|\[`)

// subjects returns the functions and operators of a question's rules, and the keywords of its schemas.
func (q *question) subjects() map[string]bool {
	all := map[string]bool{}
	collect(q.Definition["spec"], all)
	if q.Kind == "object" {
		of := map[string]bool{}
		for subject := range all {
			of[subject+", of objects"] = true
		}
		return of
	}
	return all
}

func collect(v any, into map[string]bool) {
	switch x := v.(type) {
	case []any:
		for _, item := range x {
			collect(item, into)
		}
	case map[string]any:
		for k, item := range x {
			text, isText := item.(string)
			switch {
			case isText && (k == "rule" || k == "messageExpression"):
				for _, m := range called.FindAllStringSubmatch(text, -1) {
					name := cmp.Or(m[1], m[2], "[")
					into[name[strings.LastIndex(name, ".")+1:]] = true
				}
			case isText && k == "format":
				into["format "+text] = true
			case strings.HasPrefix(k, "x-kubernetes-"), keywords[k]:
				into[k] = true
			}
			collect(item, into)
		}
	}
}

// keywords are keys of a definition that a difference may be about.
var keywords = map[string]bool{
	"default": true, "enum": true, "pattern": true, "minLength": true, "maxLength": true, "minItems": true, "maxItems": true,
	"minProperties": true, "maxProperties": true, "minimum": true, "maximum": true, "multipleOf": true, "nullable": true,
	"anyOf": true, "oneOf": true, "allOf": true, "not": true, "additionalProperties": true, "selectableFields": true,
	"optionalOldSelf": true, "fieldPath": true, "reason": true, "conversion": true, "subresources": true, "ownerReferences": true,
}

// print writes a group with its smallest example.
func (g *group) print(w io.Writer, oldVersion, newVersion string) {
	smallest := slices.MinFunc(g.differences, func(a, b *difference) int { return a.question.size - b.question.size })
	fmt.Fprintf(w, "\n## %s: %s\n\n", g.kind, g.subject)
	if g.kind == "text" {
		fmt.Fprintf(w, "%d differences. The smallest:\n\n", len(g.differences))
	} else {
		fmt.Fprintf(w, "%d differences among %d questions that have it. The smallest:\n\n", len(g.differences), g.asked)
	}
	fmt.Fprintf(w, "    %s\n", line(smallest.question))
	for i, version := range [...]string{oldVersion, newVersion} {
		fmt.Fprintf(w, "    %s: %s\n", version, line(smallest.answers[i]))
	}
	switch {
	case smallest.notAsked != nil:
		fmt.Fprintf(w, "    crdkit: %s\n", line(smallest.notAsked.Error()))
	case smallest.ours[0] != nil:
		for i, version := range [...]string{oldVersion, newVersion} {
			fmt.Fprintf(w, "    crdkit %s: %s\n", version, line(smallest.ours[i]))
		}
	}
}

// maxLine is the length of the longest line that is printed.
const maxLine = 4000

func line(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(text) > maxLine {
		return cut(string(text), maxLine) + " ..."
	}
	return string(text)
}

// cut returns the beginning of a text, of at most n bytes.
func cut(text string, n int) string {
	if len(text) > n {
		text = strings.ToValidUTF8(text[:n], "")
	}
	return text
}
