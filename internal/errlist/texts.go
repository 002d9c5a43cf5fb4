package errlist

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/crdkit/crdkit/field"
)

// Texts gather warnings and findings up to a limit, in the manner of a [List]. The zero value has the default limit.
type Texts struct {
	limit   field.Limit
	texts   []string
	bytes   int
	omitted int
}

// TextsWithin returns empty texts with that limit.
func TextsWithin(limit field.Limit) Texts { return Texts{limit: limit} }

// Full reports whether no more texts are kept. Callers ask before they make a long one, and call Skip instead.
func (t *Texts) Full() bool { return t.omitted > 0 }

// Skip counts n texts that were not made.
func (t *Texts) Skip(n int) { t.omitted += n }

// Add appends the texts, or counts them once one of them does not fit. The first is kept whatever its length.
func (t *Texts) Add(texts ...string) {
	most := t.limit.OrDefault()
	for _, text := range texts {
		over := len(t.texts) >= most.Errors || len(text) > most.Bytes-t.bytes
		if t.omitted > 0 || most.Errors < 0 || most.Bytes < 0 || len(t.texts) > 0 && over {
			t.omitted++
			continue
		}
		t.texts, t.bytes = append(t.texts, text), t.bytes+len(text)
	}
}

// Len returns how many texts were added, kept or not.
func (t *Texts) Len() int { return len(t.texts) + t.omitted }

// Kept returns the texts that were kept, and how many were not.
func (t *Texts) Kept() (texts []string, omitted int) { return t.texts, t.omitted }

// All returns the texts that were kept, and behind them one that says how many were not, if any were: what names them.
func (t *Texts) All(what string) []string {
	if t.omitted == 0 {
		return t.texts
	}
	return append(t.texts, Omitted(what, t.omitted))
}

// Cut returns text, or its beginning and how many bytes follow if it is longer than the default limit of bytes: for messages that have one
// text from elsewhere, such as a webhook's.
func Cut(text string) string {
	if len(text) <= field.DefaultBytes {
		return text
	}
	end := field.DefaultBytes
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "... (" + strconv.Itoa(len(text)-end) + " more bytes)"
}

// Omitted says that n of what there is are not listed.
func Omitted(what string, n int) string {
	are := " more are not listed"
	if n == 1 {
		are = " more is not listed"
	}
	return "too many " + what + ": " + strconv.Itoa(n) + are
}

// Distinct takes the repeated texts out of texts, in place: the first of each stays.
func Distinct(texts []string) []string {
	if len(texts) < 2 {
		return texts
	}
	seen := make(map[string]bool, len(texts))
	return slices.DeleteFunc(texts, func(text string) bool {
		again := seen[text]
		seen[text] = true
		return again
	})
}
