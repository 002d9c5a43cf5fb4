package audit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/resource"
)

// This file has what an audit asks besides if the old server is one of another version of Kubernetes.

// keyBefore returns the key by which a finding is looked up among those of the old server. Other versions of Kubernetes
// report the same error with another type, and paths in metadata that are more or less exact.
func (a *Audit) keyBefore(f *Finding) findingKey {
	key := f.key()
	if !a.upgrades {
		return key
	}
	key.errorType = ""
	if rest, ok := strings.CutPrefix(key.path, "metadata."); ok {
		if i := strings.IndexAny(rest, ".["); i >= 0 {
			key.path = "metadata." + rest[:i]
		}
	}
	return key
}

// compare adds what the server stores and warns about, and the old server does not, in requests that both accept.
func (c *objectChecker) compare(was *objectChecker) {
	for _, now := range c.answers {
		for _, before := range was.answers {
			if now.question != before.question || now.version.Name() != before.version.Name() {
				continue
			}
			c.compareWarnings(now.version, before.result.Warnings, now.result.Warnings)
			if now.question == Update {
				c.compareStored(now.version, before.result, now.result)
			}
		}
	}
}

// compareWarnings adds the warnings that are new.
func (c *objectChecker) compareWarnings(v *resource.Version, before, now []string) {
	for _, text := range now {
		if slices.Contains(before, text) || c.left.Errors <= 0 || c.left.Bytes <= 0 {
			continue
		}
		c.left.Errors--
		c.left.Bytes -= len(text)
		c.add(Finding{Question: Warn, Version: v.Name(), Path: warnedPath(text), Text: text})
	}
}

// warnedPath returns the path of a field at the beginning of a warning, with * for indexes, or an empty text.
func warnedPath(text string) string {
	path, _, ok := strings.Cut(text, ": ")
	if !ok || strings.ContainsAny(path, " \"\t\n") {
		return ""
	}
	return indexPattern.ReplaceAllString(path, "[*]")
}

// compareStored adds the values that the server changes and stores otherwise than the old one.
func (c *objectChecker) compareStored(v *resource.Version, before, now resource.Result) {
	if before.Stored == nil || now.Stored == nil {
		return
	}
	jsonval.Changes(before.Stored, now.Stored, func(at *field.Path, what string) bool {
		steps, path := at.Segments(), c.pattern(v, at)
		if steps[0].Key == "metadata" && what != "lost" || !differ(valueAt(c.obj, steps), valueAt(now.Stored, steps)) ||
			c.found(Prune, path) || c.found(Default, path) {
			return true
		}
		text := what + " " + strconv.Quote(at.String())
		c.left.Errors--
		c.left.Bytes -= len(text)
		c.add(Finding{Question: Store, Version: v.Name(), Path: path, Text: text})
		return c.left.Errors > 0 && c.left.Bytes > 0
	})
}

// differ reports whether a store writes two values differently.
func differ(a, b any) (found bool) {
	jsonval.Changes(a, b, func(*field.Path, string) bool {
		found = true
		return false
	})
	return found
}

// valueAt returns the value at a path, or nil if there is none.
func valueAt(value any, path []field.Segment) any {
	for _, s := range path {
		switch x := value.(type) {
		case map[string]any:
			value = x[s.Key]
		case []any:
			if !s.IsIndex || s.Index >= len(x) {
				return nil
			}
			value = x[s.Index]
		default:
			return nil
		}
	}
	return value
}

// found reports whether there is a finding about a path that the old server does not have.
func (c *objectChecker) found(q Question, path string) bool {
	return slices.ContainsFunc(c.outcome.Findings, func(f Finding) bool {
		return f.Question == q && f.Path == path && !f.Before
	})
}
