package crdlint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

var unreachableDefault = Lint{
	Name: "unreachable-default", Severity: Note, Title: "defaults in an object that is not there",
	Why: "A server fills in a default only in an object that exists. Without a default of its own, an object " +
		"that a manifest leaves out stays absent, with all defaults in it.",
	check: checkUnreachableDefaults,
}

// checkUnreachableDefaults looks at the fields of the root. Further below, an absent object often means that something
// is not configured.
func checkUnreachableDefaults(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if p.depth != 1 || p.step.Name == "" || p.step.Name == "metadata" || p.step.Name == "status" || p.Default != nil || p.isRequired() ||
				p.Type != "object" {
				continue
			}
			name := defaulted(p)
			if name == "" {
				continue
			}
			witness := l.defaultWitness(v, p)
			if witness == nil || !l.more() {
				continue
			}
			l.add(v.pathOf(p), witness, "set default: {} at "+p.step.Name+", or require it",
				"%s is optional and has no default, so that the default of %s.%s is missing in an object without %s", p.step.Name, p.step.Name, name,
				p.step.Name)
		}
	}
}

// defaulted returns the first property of p with a default.
func defaulted(p *place) string {
	for at, q := range p.ChildrenByName() {
		if at.Keyword == "properties" && q.Default != nil {
			return at.Name
		}
	}
	return ""
}

// defaultWitness returns two creates: without p, and with an empty p that gets defaults. It returns nil if the server
// refuses one of them.
func (l *linter) defaultWitness(v *version, p *place) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil {
		return nil
	}
	empty, _ := sample.Replaced(obj, path, map[string]any{}).(map[string]any)
	without, _ := sample.Removed(obj, path).(map[string]any)
	a, b := l.handler(v.Name).Create(l.ctx, without), l.handler(v.Name).Create(l.ctx, empty)
	if a.Err() != nil || b.Err() != nil {
		return nil
	}
	if _, ok := valueAt(a.Object, path); ok {
		return nil
	}
	return &Witness{[]Step{{"create", v.Name, without, a.Object, ""}, {"create", v.Name, empty, b.Object, ""}}}
}

var conflictingDefaults = Lint{
	Name: "conflicting-defaults", Severity: Warning, Title: "two defaults for one field",
	Why: "The default of an object is used if the whole object is left out, and the defaults of its fields if it " +
		"is there without them. If they differ, leaving out more gives another value.",
	check: checkConflictingDefaults,
}

func checkConflictingDefaults(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			whole, ok := p.Default.(map[string]any)
			if !ok || len(whole) == 0 {
				continue
			}
			for at, q := range p.ChildrenByName() {
				value, given := whole[at.Name]
				if at.Keyword != "properties" || q.Default == nil || !given || value == nil || contains(value, q.Default) || !l.more() {
					continue
				}
				steps := p.steps()
				way, x, y := difference(value, q.Default)
				l.add(v.pathOf(p), l.conflictWitness(v, p), "use one value, or set default: {} at "+named(steps),
					"%s.%s%s is %s by the default of %s, and %s by its own", named(steps), at.Name, way, text(x), named(steps),
					text(y))
			}
		}
	}
}

// contains reports whether value is part, or an object that has part's fields, apart from those that it leaves to their
// own defaults.
func contains(value, part any) bool {
	x, ok := value.(map[string]any)
	y, ok2 := part.(map[string]any)
	if !ok || !ok2 {
		return jsonval.Equal(value, part)
	}
	for key, w := range y {
		if u, given := x[key]; given && !contains(u, w) {
			return false
		}
	}
	return true
}

// difference returns where the first difference of two values is, and both values there.
func difference(value, part any) (way string, x, y any) {
	switch x := value.(type) {
	case map[string]any:
		other, ok := part.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(other)) {
			if u, given := x[key]; ok && given && !contains(u, other[key]) {
				way, a, b := difference(u, other[key])
				return "." + key + way, a, b
			}
		}
	case []any:
		other, ok := part.([]any)
		for i := range min(len(x), len(other)) {
			if ok && !jsonval.Equal(x[i], other[i]) {
				way, a, b := difference(x[i], other[i])
				return fmt.Sprintf("[%d]%s", i, way), a, b
			}
		}
	}
	return "", value, part
}

func (l *linter) conflictWitness(v *version, p *place) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil || len(path) == 0 {
		return nil
	}
	empty, _ := sample.Replaced(obj, path, map[string]any{}).(map[string]any)
	without, _ := sample.Removed(obj, path).(map[string]any)
	a, b := l.handler(v.Name).Create(l.ctx, without), l.handler(v.Name).Create(l.ctx, empty)
	if a.Err() != nil || b.Err() != nil {
		return nil
	}
	x, _ := valueAt(a.Object, path)
	y, _ := valueAt(b.Object, path)
	if jsonval.Equal(x, y) {
		return nil
	}
	return &Witness{[]Step{{"create", v.Name, without, a.Object, ""}, {"create", v.Name, empty, b.Object, ""}}}
}

var droppedDefault = Lint{
	Name: "dropped-default", Severity: Warning, Title: "a default that a server does not set",
	Why: "A server prunes the metadata of a default as that of any embedded object, and a null in the default of " +
		"an object that contains a field comes before the default of the field. What is left is not what the " +
		"schema says.",
	check: checkDroppedDefaults,
}

func checkDroppedDefaults(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if p.parent == nil || p.Default == nil {
				continue
			}
			if whole, ok := p.parent.Default.(map[string]any); ok && p.Nullable {
				if value, given := whole[p.step.Name]; given && value == nil && l.more() {
					steps := p.parent.steps()
					l.add(v.pathOf(p)+".default", l.nullDefaultWitness(v, p), "use one value in both",
						"%s.%s is null by the default of %s, and not %s", named(steps), p.step.Name, named(steps), text(p.Default))
				}
			}
			if !hasMetadata(p.Default) {
				continue
			}
			witness, got := l.droppedWitness(v, p)
			if witness != nil && l.more() {
				l.add(v.pathOf(p)+".default", witness, "leave out what is dropped", "%s is %s by default, and not %s",
					named(p.steps()), text(got), text(p.Default))
			}
		}
	}
}

// hasMetadata reports whether a value has metadata, as embedded objects do, in one of its first levels.
func hasMetadata(v any) bool { return metadataIn(v, 5) }

func metadataIn(v any, levels int) bool {
	if levels == 0 {
		return false
	}
	switch x := v.(type) {
	case map[string]any:
		if _, ok := x["metadata"].(map[string]any); ok {
			return true
		}
		for _, value := range x {
			if metadataIn(value, levels-1) {
				return true
			}
		}
	case []any:
		for _, item := range x {
			if metadataIn(item, levels-1) {
				return true
			}
		}
	}
	return false
}

// droppedWitness returns the creation of an object without p, and the value that p has then, if it lacks a part of the
// default.
func (l *linter) droppedWitness(v *version, p *place) (*Witness, any) {
	obj, path := l.objectWith(v, p)
	if obj == nil || len(path) == 0 {
		return nil, nil
	}
	without, _ := sample.Removed(obj, path).(map[string]any)
	r := l.handler(v.Name).Create(l.ctx, without)
	if r.Err() != nil {
		return nil, nil
	}
	got, ok := valueAt(r.Object, path)
	if !ok || includes(got, p.Default) {
		return nil, nil
	}
	return &Witness{[]Step{{"create", v.Name, without, r.Object, ""}}}, got
}

// includes reports whether value has all fields of part.
func includes(value, part any) bool {
	switch x := part.(type) {
	case map[string]any:
		y, ok := value.(map[string]any)
		for key, w := range x {
			u, given := y[key]
			ok = ok && given && includes(u, w)
		}
		return ok
	case []any:
		y, ok := value.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			ok = ok && includes(y[i], x[i])
		}
		return ok
	}
	return jsonval.Equal(value, part)
}

// nullDefaultWitness returns the creation of an object without the object that has p, in which p is null.
func (l *linter) nullDefaultWitness(v *version, p *place) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil || len(path) < 2 {
		return nil
	}
	without, _ := sample.Removed(obj, path[:len(path)-1]).(map[string]any)
	r := l.handler(v.Name).Create(l.ctx, without)
	if value, ok := valueAt(r.Object, path); r.Err() != nil || !ok || value != nil {
		return nil
	}
	return &Witness{[]Step{{"create", v.Name, without, r.Object, ""}}}
}

// text returns a value as JSON, shortened.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	const most = 60
	if len(b) > most {
		return string(b[:most]) + "..."
	}
	return string(b)
}
