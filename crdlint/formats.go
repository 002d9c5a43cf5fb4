package crdlint

import (
	"math"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

var ineffectiveFormat = Lint{
	Name: "ineffective-format", Severity: Note, Title: "a format that checks nothing",
	Why: "A server ignores a format that it does not know, or that is not for the type of the field: every value " +
		"of the type is accepted.",
	check: checkIneffectiveFormats,
}

// formatTypes are the types of the formats of numbers.
var formatTypes = map[string]string{"int32": "integer", "int64": "integer", "float": "number", "double": "number"}

// stringFormats are the formats of strings, for the nearest one.
var stringFormats = []string{
	"bsonobjectid", "byte", "cidr", "creditcard", "date", "date-time", "duration", "email", "hexcolor", "hostname",
	"ipv4", "ipv6", "isbn", "isbn10",
	"isbn13", "k8s-long-name", "k8s-short-name", "mac", "password", "rgbcolor", "ssn", "uri", "uuid", "uuid3", "uuid4",
	"uuid5",
}

func checkIneffectiveFormats(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if p.Format == "" || p.Type == "" || format.Kept(p.Type, p.Format) || formatTypes[p.Format] != "" &&
				(p.Type == "integer" || p.Type == "number") {
				continue // the other formats of numbers are documentation
			}
			if !l.more() {
				continue
			}
			problem, fix := "which no server knows", "use a pattern, or leave it out"
			right := formatTypes[p.Format]
			if right == "" && format.Lookup(p.Format) != nil {
				right = "string"
			}
			if right != "" {
				problem = "which is for type " + right
				fix = "leave it out, or use type " + right
			} else if near := explain.Nearest(p.Format, stringFormats); near != "" && p.Type == "string" {
				fix = "use " + near
			}
			l.add(v.pathOf(p)+".format", l.formatWitness(v, p), fix, "%s of type %s has the format %s, %s", named(p.steps()),
				p.Type, p.Format, problem)
		}
	}
}

// formatWitness returns the creation of an object with a text that is of no format.
func (l *linter) formatWitness(v *version, p *place) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil || p.Type != "string" {
		return nil
	}
	sent, _ := sample.Replaced(obj, path, "anything").(map[string]any)
	return l.accepted(v, sent)
}

var boundOutOfRange = Lint{
	Name: "bound-out-of-range", Severity: Warning, Title: "a bound that does not fit the format",
	Why: "From Kubernetes 1.36 on, a server checks the bounds of a number against its format, too. If a bound " +
		"does not fit, it refuses every value of the field.",
	check: checkBoundsOutOfRange,
}

func checkBoundsOutOfRange(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			low, high := rangeOf(p.Type, p.Format)
			for _, b := range []struct {
				keyword string
				value   *float64
			}{{"minimum", p.Minimum}, {"maximum", p.Maximum}, {"multipleOf", p.MultipleOf}} {
				if b.value == nil || *b.value >= low && *b.value <= high || !l.more() {
					continue
				}
				fix := "use a bound in the range"
				if p.Format == "int32" {
					fix = "use format int64, or leave out the " + b.keyword
				}
				l.add(v.pathOf(p)+"."+b.keyword, l.rangeWitness(v, p), fix, "%s has the %s %s, which does not fit %s",
					named(p.steps()), b.keyword,
					strconv.FormatFloat(*b.value, 'f', -1, 64), strings.TrimSpace(p.Type+" "+p.Format))
			}
		}
	}
}

// rangeOf returns the least and the greatest number of a type and format.
func rangeOf(typ, format string) (low, high float64) {
	switch {
	case typ == "integer" && format == "int32":
		return math.MinInt32, math.MaxInt32
	case typ == "integer":
		return math.MinInt64, math.Nextafter(math.MaxInt64, 0)
	case typ == "number" && format == "float":
		return -math.MaxFloat32, math.MaxFloat32
	}
	return math.Inf(-1), math.Inf(1)
}

// rangeWitness returns the creation of an object with 1 at p, which is refused.
func (l *linter) rangeWitness(v *version, p *place) *Witness {
	obj, path := l.invalidWith(v, p)
	if obj == nil {
		return nil
	}
	sent, ok := sample.Replaced(obj, path, int64(1)).(map[string]any)
	if !ok {
		return nil
	}
	return l.refused(v, sent)
}

// accepted returns the creation of an object, or nil if it is refused.
func (l *linter) accepted(v *version, obj map[string]any) *Witness {
	r := l.handler(v.Name).Create(l.ctx, obj)
	if r.Err() != nil {
		return nil
	}
	return &Witness{[]Step{{"create", v.Name, obj, r.Object, ""}}}
}

// refused returns the creation of an object, or nil if it is not refused for one reason.
func (l *linter) refused(v *version, obj map[string]any) *Witness {
	r := l.handler(v.Name).Create(l.ctx, obj)
	if len(r.Errors) != 1 {
		return nil
	}
	return &Witness{[]Step{{"create", v.Name, obj, nil, r.Errors[0].Error()}}}
}
