package crdlint

import (
	"time"

	"github.com/crdkit/crdkit/internal/tool/sample"
)

var durationFormat = Lint{
	Name: "duration-format", Severity: Note, Title: "a duration that Go cannot read",
	Why: "The format duration allows days and weeks, which Go's time.ParseDuration and metav1.Duration refuse: a " +
		"controller in Go then cannot decode the object, and often none of its kind.",
	check: checkDurationFormat,
}

// longDurations are durations of the format that Go cannot read.
var longDurations = []string{"1d", "1w", "2 days"}

func checkDurationFormat(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if p.Format != "duration" || p.Type != "string" || len(p.Enum) > 0 || p.inStatus() {
				continue
			}
			if witness := l.durationWitness(v, p); witness != nil && l.more() {
				l.add(v.pathOf(p)+".format", witness, `use a pattern, such as ^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`,
					"%s allows durations that Go cannot read", named(p.steps()))
			}
		}
	}
}

func (l *linter) durationWitness(v *version, p *place) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil {
		return nil
	}
	for _, text := range longDurations {
		if _, err := time.ParseDuration(text); err == nil {
			continue
		}
		sent, _ := sample.Replaced(obj, path, text).(map[string]any)
		if r := l.handler(v.Name).Create(l.ctx, sent); r.Err() == nil {
			return &Witness{[]Step{{"create", v.Name, sent, r.Object, ""}}}
		}
	}
	return nil
}

var nullableDefault = Lint{
	Name: "nullable-default", Severity: Note, Title: "a default that null prevents",
	Why: "A server replaces null by the default only where null is not allowed. With nullable: true, a client " +
		"that writes null for an unset field stores null, and the default is not used.",
	check: checkNullableDefaults,
}

func checkNullableDefaults(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if !p.Nullable || p.Default == nil || p.depth == 0 || p.inStatus() {
				continue
			}
			if witness := l.nullWitness(v, p); witness != nil && l.more() {
				l.add(v.pathOf(p)+".nullable", witness, "leave out nullable, or the default", "%s stays null, although it has a default", named(p.steps()))
			}
		}
	}
}

func (l *linter) nullWitness(v *version, p *place) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil {
		return nil
	}
	sent, _ := sample.Replaced(obj, path, nil).(map[string]any)
	r := l.handler(v.Name).Create(l.ctx, sent)
	if r.Err() != nil {
		return nil
	}
	if value, ok := valueAt(r.Object, path); !ok || value != nil {
		return nil
	}
	return &Witness{[]Step{{"create", v.Name, sent, r.Object, ""}}}
}
