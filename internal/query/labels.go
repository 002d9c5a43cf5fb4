package query

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
)

// Labels is a label selector: requirements that must all be met. The zero value has none, and selects every object.
type Labels struct {
	requirements []requirement // by key
}

// A requirement is a requirement of a label selector.
type requirement struct {
	key      string
	operator operator
	values   []string // sorted, each once: any number for in and notIn, one for the other operators with a value
	bound    int64    // the number for greater and less
}

// An operator is the text between the key and the value of a requirement.
type operator string

const (
	equals       operator = "="
	doubleEquals operator = "=="
	notEquals    operator = "!="
	in           operator = "in"
	notIn        operator = "notin"
	greater      operator = ">"
	less         operator = "<"
	exists       operator = ""
	absent       operator = "!"
)

// ParseLabels parses a label selector: requirements separated by commas, each of the form
//
//	key   !key   key=value   key==value   key!=value   key in (a,b)   key notin (a,b)   key>5   key<5
//
// with spaces, tabs and line ends anywhere between the parts. An empty text has no requirements. A value may be empty;
// the words in and notin may be keys and values, too. Keys are qualified names, values are label values.
//
// The error is a server's, for the first error in text. The keys and values of a requirement are checked when it is
// complete.
//
// Clause: SEL-005.
func ParseLabels(text string) (Labels, error) {
	p := labelParser{rest: text}
	p.advance()
	if p.is("") {
		return Labels{}, nil
	}
	if !p.atRequirement() {
		return Labels{}, p.found(", expected: !, identifier, or 'end of string'")
	}
	var all []requirement
	for {
		r, err := p.requirement()
		if err != nil {
			return Labels{}, fmt.Errorf("unable to parse requirement: %w", err)
		}
		all = append(all, r)
		switch {
		case p.is(""):
			// Requirements with the same key stay in the order that this sort produces, which is a server's: it is
			// visible only in the text.
			slices.SortFunc(all, func(a, b requirement) int { return cmp.Compare(a.key, b.key) })
			return Labels{all}, nil
		case !p.is(","):
			return Labels{}, p.found(", expected: ',' or 'end of string'")
		}
		if p.advance(); !p.atRequirement() {
			return Labels{}, p.found(", expected: identifier after ','")
		}
	}
}

// Requirement returns a requirement as text for [ParseLabels]. The operator is one of those of label selectors in
// objects: In, NotIn, Exists or DoesNotExist. For another one it returns false.
func Requirement(key, operator string, values []string) (text string, ok bool) {
	switch operator {
	case "In":
		return key + " in (" + strings.Join(values, ",") + ")", true
	case "NotIn":
		return key + " notin (" + strings.Join(values, ",") + ")", true
	case "Exists":
		return key, true
	case "DoesNotExist":
		return "!" + key, true
	}
	return "", false
}

// Empty reports whether l selects every object.
func (l Labels) Empty() bool { return len(l.requirements) == 0 }

// String returns the selector in the form that a server writes: requirements sorted by key, values sorted and unique.
// [ParseLabels] reads it as the same selector.
func (l Labels) String() string {
	texts := make([]string, len(l.requirements))
	for i := range texts {
		texts[i] = l.requirements[i].text()
	}
	return strings.Join(texts, ",")
}

func (r *requirement) text() string {
	switch r.operator {
	case absent:
		return "!" + r.key
	case in, notIn:
		return r.key + " " + string(r.operator) + " (" + strings.Join(r.values, ",") + ")"
	case exists:
		return r.key
	}
	return r.key + string(r.operator) + r.values[0]
}

// Matches reports whether an object with those labels is selected. A value that is not a string counts as empty: see
// [LabelsOf].
//
// Clause: SEL-005.
func (l Labels) Matches(labels map[string]any) bool {
	for i := range l.requirements {
		if !l.requirements[i].matches(labels) {
			return false
		}
	}
	return true
}

func (r *requirement) matches(labels map[string]any) bool {
	v, has := labels[r.key]
	value, _ := v.(string)
	switch r.operator {
	case exists:
		return has
	case absent:
		return !has
	case equals, doubleEquals, in:
		return has && r.lists(value)
	case notEquals, notIn:
		return !has || !r.lists(value)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && (r.operator == greater && n > r.bound || r.operator == less && n < r.bound)
}

func (r *requirement) lists(value string) bool {
	_, found := slices.BinarySearch(r.values, value)
	return found
}

// LabelsOf returns the labels of an object, or nil if it has none. To a server, a null value is an empty label, and any
// other value that is not a string means that there are no labels.
func LabelsOf(obj map[string]any) map[string]any {
	metadata, _ := obj["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	for _, v := range labels {
		if _, ok := v.(string); !ok && v != nil {
			return nil
		}
	}
	return labels
}

// A labelParser has the current token of a label selector: a word, or one of ! , ( ) = == != > <. The end is an empty
// token.
type labelParser struct {
	rest  string // after the token
	token string
	word  bool
}

const blanks = " \t\r\n"

// advance goes to the next token. A zero byte ends the text if it is at the start of a token, and is skipped directly
// after a token: a server takes it for the end of its input, but continues.
func (p *labelParser) advance() {
	rest := strings.TrimLeft(p.rest, blanks)
	if rest == "" || rest[0] == 0 {
		p.token, p.word, p.rest = "", false, ""
		return
	}
	n := strings.IndexAny(rest, blanks+"=!(),><\x00")
	switch {
	case n < 0:
		n = len(rest)
	case n > 0:
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "!="):
		n = 2
	default:
		n = 1
	}
	p.word = strings.IndexByte("=!(),><", rest[0]) < 0
	p.token, p.rest = rest[:n], strings.TrimPrefix(rest[n:], "\x00")
}

// is reports whether the current token is that sign, or the end if sign is empty.
func (p *labelParser) is(sign string) bool { return !p.word && p.token == sign }

// atRequirement reports whether a requirement can begin here.
func (p *labelParser) atRequirement() bool { return p.word || p.is("!") }

// found returns the error for the current token.
func (p *labelParser) found(expected string) error {
	return errors.New("found '" + p.token + "'" + expected)
}

// requirement parses a requirement, and advances past it.
func (p *labelParser) requirement() (requirement, error) {
	r := requirement{operator: exists}
	if p.is("!") {
		r.operator = absent
		p.advance()
	}
	if !p.word {
		return r, p.found(", expected: identifier")
	}
	if messages := format.QualifiedName(p.token); messages != nil {
		return r, field.Invalid(nil, p.token, strings.Join(messages, "; "))
	}
	r.key = p.token
	if p.advance(); r.operator == absent || p.is("") || p.is(",") {
		return r, nil
	}
	switch r.operator = operator(p.token); r.operator {
	case in, notIn:
		p.advance()
		if err := p.list(&r); err != nil {
			return r, err
		}
	case equals, doubleEquals, notEquals, greater, less:
		p.advance()
		if err := p.value(&r); err != nil {
			return r, err
		}
	default:
		return r, p.found(", expected: in, notin, =, ==, !=, gt, lt")
	}
	return r, r.check().Err()
}

// value parses a single value, which is empty at the end of the requirement.
func (p *labelParser) value(r *requirement) error {
	switch {
	case p.is(""), p.is(","):
		r.values = []string{""}
		return nil
	case !p.word:
		return p.found(", expected: identifier")
	}
	r.values = []string{p.token}
	p.advance()
	return nil
}

// list parses values in parentheses. A missing value on one side of a comma is an empty one.
func (p *labelParser) list(r *requirement) error {
	if !p.is("(") {
		return p.found(" expected: '('")
	}
	if p.advance(); !p.word && !p.is(",") && !p.is(")") {
		return p.found(", expected: ',', ')' or identifier")
	}
	for {
		value := ""
		if p.word {
			value = p.token
			if p.advance(); !p.is(",") && !p.is(")") {
				return p.found(", expected: ',' or ')'")
			}
		}
		r.values = append(r.values, value)
		if p.is(")") {
			break
		}
		if p.advance(); !p.word && !p.is(",") && !p.is(")") {
			return p.found(", expected: ',', or identifier")
		}
	}
	p.advance()
	slices.Sort(r.values)
	r.values = slices.Compact(r.values)
	return nil
}

// maxFaults limits the number of reported wrong values of a requirement.
const maxFaults = 1000

// check validates the values, and stores the number for greater and less.
func (r *requirement) check() (errs field.List) {
	at := field.NewPath("values")
	if r.operator == greater || r.operator == less {
		bound, err := strconv.ParseInt(r.values[0], 10, 64)
		if err != nil {
			errs = append(errs, field.Invalid(at.Index(0), r.values[0], "for 'Gt', 'Lt' operators, the value must be an integer"))
		}
		r.bound = bound
	}
	for i, v := range r.values {
		if len(errs) >= maxFaults {
			return append(errs, field.Invalid(at, field.OmitValue, "there are more wrong values"))
		}
		if messages := format.LabelValue(v); messages != nil {
			errs = append(errs, field.Invalid(at.Index(i).Key(r.key), v, strings.Join(messages, "; ")))
		}
	}
	return errs
}
