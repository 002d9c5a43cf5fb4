package text

import (
	"fmt"
	"regexp"
)

// Compile reads a pattern that is computed while a rule runs. Its error is the one of find and findAll; matches reports Go's own
// text, without words in front.
//
// Clauses: CEN-027, CLI-001.
func Compile(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		//lint:ignore ST1005 the server's text
		return nil, fmt.Errorf("Illegal regex: %w", err)
	}
	return re, nil
}

// Find returns the first part of s that matches, or "".
//
// Clauses: CEN-027, CLI-001.
func Find(re *regexp.Regexp, s string) string { return re.FindString(s) }

// FindAll returns the parts of s that match, at most n of them, or all if n is negative. The list is the caller's.
//
// Clauses: CEN-027, CLI-001.
func FindAll(re *regexp.Regexp, s string, n int64) []string { return re.FindAllString(s, clamp(n)) }
