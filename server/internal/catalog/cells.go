package catalog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/query"
)

// This file has the cells that kinds share.

// parent returns the object that has the last field of a path, or nil.
func parent(obj document, path []string) document {
	for _, name := range path[:len(path)-1] {
		obj = child(obj, name)
	}
	return obj
}

// value returns the value at a path, or nil.
func value(obj document, path ...string) any { return parent(obj, path)[path[len(path)-1]] }

// object returns the object at a path, or nil.
func object(obj document, path []string) document { return child(parent(obj, path), path[len(path)-1]) }

func number(obj document, path ...string) int64 {
	n, _ := value(obj, path...).(int64)
	return n
}

func length(obj document, name string) int64 {
	list, _ := obj[name].([]any)
	return int64(len(list))
}

// textCell shows a text, or other if it is missing or empty.
func textCell(other string, path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		if s, ok := value(obj, path...).(string); ok && s != "" {
			return s
		}
		return other
	}
}

// textsCell shows the texts of a list, or other if there are none.
func textsCell(other string, path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		if out := strings.Join(listed(value(obj, path...)), ","); out != "" {
			return out
		}
		return other
	}
}

// listed returns the texts of a list.
func listed(v any) (out []string) {
	list, _ := v.([]any)
	for _, e := range list {
		out = append(out, fmt.Sprint(e))
	}
	return out
}

// some joins the first texts of a list, and counts the others.
func some(list []string, most int, separator string) string {
	if len(list) <= most {
		return strings.Join(list, separator)
	}
	return fmt.Sprintf("%s + %d more...", strings.Join(list[:most], separator), len(list)-most)
}

func intCell(path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any { return number(obj, path...) }
}

// numberCell shows a number, or other if it is missing.
func numberCell(other string, path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		if n, ok := value(obj, path...).(int64); ok {
			return n
		}
		return other
	}
}

func boolCell(path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any { return value(obj, path...) == true }
}

// anyCell shows a number or a text.
func anyCell(other string, path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		if v := value(obj, path...); v != nil {
			return fmt.Sprint(v)
		}
		return other
	}
}

func ageSince(path ...string) func(document, time.Time) any { return ageSinceOr("<unknown>", path...) }

// ageSinceOr shows how long ago a time was.
func ageSinceOr(other string, path ...string) func(document, time.Time) any {
	return func(obj document, now time.Time) any {
		if at, ok := timeAt(obj, path...); ok {
			return query.Age(now.Sub(at))
		}
		return other
	}
}

func timeAt(obj document, path ...string) (time.Time, bool) {
	s, _ := value(obj, path...).(string)
	at, err := time.Parse(time.RFC3339, s)
	return at, err == nil
}

func labelsCell(path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any { return labelText(object(obj, path)) }
}

// labelText prints labels by name.
func labelText(labels document) string {
	var out []string
	for name, v := range labels {
		out = append(out, fmt.Sprint(name, "=", v))
	}
	if len(out) == 0 {
		return "<none>"
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

func selectorCell(path ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		selector := object(obj, path)
		if selector["matchLabels"] == nil && selector["matchExpressions"] == nil {
			return labelText(selector) // the selector of the oldest kinds
		}
		type requirement struct{ key, text string }
		var out []requirement
		for name, v := range child(selector, "matchLabels") {
			out = append(out, requirement{name, fmt.Sprint(name, "=", v)})
		}
		for _, e := range children(selector, "matchExpressions") {
			key := text(e, "key", "")
			values := listed(e["values"])
			slices.Sort(values)
			printed, _ := query.Requirement(key, text(e, "operator", ""), values)
			out = append(out, requirement{key, printed})
		}
		slices.SortStableFunc(out, func(a, b requirement) int { return strings.Compare(a.key, b.key) })
		texts := make([]string, len(out))
		for i := range out {
			texts[i] = out[i].text
		}
		if len(texts) == 0 {
			return "<none>"
		}
		return strings.Join(texts, ",")
	}
}

func boolText(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

// condition returns the first condition of a type in the status, or nil.
func condition(obj document, of string) document {
	for _, c := range children(child(obj, "status"), "conditions") {
		if c["type"] == of {
			return c
		}
	}
	return nil
}

// lastCondition shows the last of these types among the conditions, with met among those that are true, or other.
func lastCondition(other string, met bool, types ...string) func(document, time.Time) any {
	return func(obj document, _ time.Time) any {
		out := other
		for _, c := range children(child(obj, "status"), "conditions") {
			if of := text(c, "type", ""); slices.Contains(types, of) && (!met || c["status"] == "True") {
				out = of
			}
		}
		return out
	}
}

// groupResource prints a resource with its group.
func groupResource(of document) string {
	if group := text(of, "group", ""); group != "" {
		return text(of, "resource", "") + "." + group
	}
	return text(of, "resource", "")
}
