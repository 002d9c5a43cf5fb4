package refusal

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/field"
)

// Texts collects warnings and findings up to a limit, like a [List]. The zero value has the default limit.
type Texts struct {
	limit   field.Limit
	texts   []string
	bytes   int
	omitted int
}

// TextsWithin returns empty texts with that limit.
func TextsWithin(limit field.Limit) Texts { return Texts{limit: limit} }

// Full reports whether no more texts are kept. Callers check this before they build a long text, and call Skip instead
// if it is full.
func (t *Texts) Full() bool { return t.omitted > 0 }

// Skip counts n texts that were not built.
func (t *Texts) Skip(n int) { t.omitted += n }

// Add appends the texts, or counts them after one of them did not fit. The first text is kept whatever its length.
func (t *Texts) Add(texts ...string) {
	most := OrDefault(t.limit)
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

// Kept returns the kept texts, and the number of the others.
func (t *Texts) Kept() (texts []string, omitted int) { return t.texts, t.omitted }

// All returns the kept texts, followed by one with the number of the others, if any. what describes the texts.
func (t *Texts) All(what string) []string {
	if t.omitted == 0 {
		return t.texts
	}
	return append(t.texts, "too many "+what+": "+notListed(t.omitted))
}

// WhatFields describes the findings of strict decoding for [Texts.All].
const WhatFields = "unknown or duplicate fields"

// FindingLines returns the findings of strict decoding as warnings, each once. The findings in YAML are one text with a
// line for each (DEC-011).
func FindingLines(findings []string) (lines []string) {
	for _, f := range findings {
		rest, isYAML := strings.CutPrefix(f, "yaml: unmarshal errors:\n")
		if !isYAML {
			lines = append(lines, f)
			continue
		}
		for line := range strings.SplitSeq(rest, "\n") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return Distinct(lines)
}

// Cut returns text, or, if it is longer than the default limit of bytes, its beginning and the number of bytes left
// out. It is for messages that contain a text from elsewhere, such as a webhook's.
func Cut(text string) string {
	head := Head(text)
	if head == text {
		return text
	}
	return head + "... (" + strconv.Itoa(len(text)-len(head)) + " more bytes)"
}

// Head returns text, or its beginning if it is longer than the default limit of bytes. It does not cut a character.
func Head(text string) string {
	if len(text) <= DefaultBytes {
		return text
	}
	end := DefaultBytes
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

func notListed(n int) string {
	if n == 1 {
		return "1 more is not listed"
	}
	return strconv.Itoa(n) + " more are not listed"
}

// Distinct removes repeated texts in place, keeping the first of each.
func Distinct(texts []string) []string {
	return distinct(texts, func(text string) string { return text })
}

// DistinctErrors removes errors in place whose text an earlier one has.
//
// Clause: MET-014.
func DistinctErrors(errs field.List) field.List { return distinct(errs, (*field.Error).Error) }

func distinct[T any](all []T, textOf func(T) string) []T {
	if len(all) < 2 {
		return all
	}
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(v T) bool {
		text := textOf(v)
		again := seen[text]
		seen[text] = true
		return again
	})
}

// Aggregate prints errors as a server prints several that it has collected: each text once, in brackets if there is more
// than one.
func Aggregate(errs []error) string {
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	if texts = Distinct(texts); len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
