package refusal

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/since"
)

// The default limit.
const (
	DefaultErrors = 10_000
	DefaultBytes  = 3 << 20
)

// OrDefault returns l with zeros replaced by the defaults.
func OrDefault(l field.Limit) field.Limit {
	return field.Limit{Errors: cmp.Or(l.Errors, DefaultErrors), Bytes: cmp.Or(l.Bytes, DefaultBytes)}
}

// A List collects errors. If an error does not fit the limit, the list is full: it counts all further errors and keeps
// none of them, so that it always has the first errors. The first error is kept whatever its length. The zero value has
// the default limit.
type List struct {
	limit   field.Limit
	errs    field.List
	bytes   int // of text so far
	full    bool
	omitted field.Omitted
	done    <-chan struct{}
	profile since.Profile
}

// Within returns an empty list with that limit.
func Within(limit field.Limit) List {
	most := OrDefault(limit)
	return List{limit: limit, full: most.Errors < 0 || most.Bytes < 0}
}

// Optional returns the limit in the last parameter of a function, or the default if there is none.
func Optional(limit []field.Limit) field.Limit {
	if len(limit) == 0 {
		return field.Limit{}
	}
	return limit[0]
}

// Of returns an empty list of errors of a server with that profile.
func Of(profile since.Profile, limit field.Limit) List {
	l := Within(limit)
	l.profile = profile
	return l
}

// Profile returns the profile of the server whose errors these are.
func (l *List) Profile() since.Profile { return l.profile }

// Sub returns an empty list of errors of the same server, with the part of the limit that is left.
func (l *List) Sub() List { return Of(l.profile, l.Left()) }

// Until makes Stopped report whether done is closed. done may be nil.
func (l *List) Until(done <-chan struct{}) { l.done = done }

// Done returns the channel of Until.
func (l *List) Done() <-chan struct{} { return l.done }

// Stopped reports whether the request has ended: the remaining errors may be left out.
func (l *List) Stopped() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// Full reports whether the list keeps no more errors. Callers check this before they build an error, and call Skip
// instead if it is full.
func (l *List) Full() bool { return l.full }

// Skip counts an error that was not built, because the list is full.
func (l *List) Skip(t field.ErrorType) { l.skip(1, t) }

//go:noinline
func (l *List) skip(n int, types ...field.ErrorType) {
	l.omitted.Errors += n
	for _, t := range types {
		if !slices.Contains(l.omitted.Types, t) {
			l.omitted.Types = append(l.omitted.Types, t)
		}
	}
}

// Add appends e, or counts it if the list is full. The text of e becomes that of the list's server.
func (l *List) Add(e *field.Error) {
	if !l.full {
		Render(l.profile, e)
		most := OrDefault(l.limit)
		left := most.Bytes - l.bytes
		size := Size(e, left)
		if len(l.errs) == 0 || size <= left && len(l.errs) < most.Errors {
			l.bytes += size
			l.errs = append(l.errs, e)
			return
		}
		l.full = true
	}
	l.skip(1, e.Type)
}

// Render makes the values in the texts of errors those of a server with that profile.
func Render(profile since.Profile, errs ...*field.Error) {
	if profile.Has(since.JSONValues) {
		return
	}
	for _, e := range errs {
		origin.SetGoSyntax(e)
	}
}

// Spend counts bytes of text that were built but not kept, such as those of a duplicate error.
func (l *List) Spend(bytes int) {
	l.bytes += bytes
	l.full = l.full || l.bytes > OrDefault(l.limit).Bytes
}

// Append adds all of errs. If errs was itself cut at a limit, the list is full afterwards.
func (l *List) Append(errs ...*field.Error) {
	for _, e := range errs {
		if more, ok := e.BadValue.(*field.Omitted); ok {
			l.full = true
			l.skip(more.Errors, more.Types...)
		} else {
			l.Add(e)
		}
	}
}

// Left returns the part of the limit that is left, as the limit for a list that will be appended.
func (l *List) Left() field.Limit {
	if l.full {
		return field.Limit{Errors: -1, Bytes: -1}
	}
	// Zero would mean the default.
	orNone := func(n int) int {
		if n <= 0 {
			return -1
		}
		return n
	}
	most := OrDefault(l.limit)
	return field.Limit{Errors: orNone(most.Errors - len(l.errs)), Bytes: orNone(most.Bytes - l.bytes)}
}

// Len returns how many errors were added, kept or not.
func (l *List) Len() int { return len(l.errs) + l.omitted.Errors }

// Has reports whether an added error, kept or not, has one of the types.
func (l *List) Has(types ...field.ErrorType) bool {
	return slices.ContainsFunc(l.errs, func(e *field.Error) bool { return slices.Contains(types, e.Type) }) ||
		slices.ContainsFunc(l.omitted.Types, func(t field.ErrorType) bool { return slices.Contains(types, t) })
}

// Errors returns the errors, followed by one with the number of omitted errors, if any. It is nil if there are none. Do
// not add to the list afterwards.
//
//go:noinline
func (l *List) Errors() field.List {
	if l.omitted.Errors == 0 {
		return l.errs
	}
	omitted := l.omitted // a copy, so that lists stay on the stack
	return append(l.errs, TooMany(&omitted))
}

// TooMany returns the last error of a list from which o was omitted.
func TooMany(o *field.Omitted) *field.Error {
	var none *field.Path
	return &field.Error{Type: field.ErrorTypeTooManyErrors, Field: none.String(), BadValue: o, Detail: notListed(o.Errors)}
}

// Size returns the bytes of text in e: its field, the printed value and the detail. It stops counting at more than most
// bytes.
func Size(e *field.Error, most int) int {
	size := len(e.Field) + len(e.Detail)
	if size > most || e.BadValue == field.OmitValue {
		return size
	}
	return size + valueSize(e.BadValue, most-size, maxDepth)
}

// maxDepth limits the depth of printed values; deeper ones count as too long. No document is that deep.
const maxDepth = 10_000

// valueSize returns the approximate printed length of v, or more than most.
func valueSize(v any, most, depth int) int {
	switch x := v.(type) {
	case nil, bool:
		return 5
	case int64, int32, float64, float32:
		return 20
	case string:
		return textSize(x)
	case []any:
		if depth == 0 {
			return most + 1
		}
		size := 2
		for _, item := range x {
			if size += 1 + valueSize(item, most-size, depth-1); size > most {
				break
			}
		}
		return size
	case map[string]any:
		if depth == 0 {
			return most + 1
		}
		size := 2
		for k, member := range x {
			if size += textSize(k) + 2; size > most {
				break
			}
			if size += valueSize(member, most-size, depth-1); size > most {
				break
			}
		}
		return size
	case json.RawMessage:
		return len(x)
	}
	// A part of a definition, or a Go value that no document has. Marshaling it costs no more than the size that it
	// counts for.
	b, err := json.Marshal(v)
	if err != nil {
		return 100 // it prints as its type
	}
	return len(b)
}

// textSize returns the approximate quoted length of s.
func textSize(s string) int {
	size := len(s) + 2
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == 0x7f, c == '<', c == '>', c == '&':
			size += 5
		case c == '"', c == '\\':
			size++
		}
	}
	return size
}
