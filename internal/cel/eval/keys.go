package eval

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// This file defines which items of sets and maps are the same for rules, which compare and add such lists in ways of
// their own (CVA-030 to CVA-035).

// notScalar is the error of a set with an element that has no key.
var notScalar = failure("listSet operations are only supported on lists of scalar values")

// setKey returns the key of an element of a set (CVA-034), or nil for a list or a map.
func (f *frame) setKey(v value) any {
	f.visits(stepBytes + v.length()/4)
	switch v.kind {
	case kindList, kindRawList, kindMap, kindRawMap:
		return nil
	case kindBytes:
		f.visits(syntaxBytes * v.length())
		return keyText(fmt.Sprintf("%#v", v.ref))
	case kindOptional:
		if p := v.inner(); p != nil {
			return f.setKey(*p)
		}
		return keyText("none")
	case kindFormat:
		return v.ref
	case kindQuantity, kindURL, kindSemver, kindOpaque, kindError:
		return new(int) // equal to no other key
	}
	return dictKey(v)
}

// A keyText is a string for a key that Go cannot compare. It equals no key that is a string itself.
type keyText string

// rawKey returns the key of an item of a list map of data. keys are escaped, and are looked up as they are (CVA-035).
func (f *frame) rawKey(item value, keys []string) any {
	if item.kind != kindRawMap {
		return new(int)
	}
	return f.composeKey(keys, func(name string) any {
		k, _ := plan.Key(item.ref, name)
		if len(keys) <= 3 {
			switch k.(type) {
			case map[string]any, []any:
				f.crash(fmt.Sprintf("runtime error: hash of unhashable type %T", k))
			}
		}
		return k
	})
}

// composeKey combines several keys: up to three are compared by type and value, more by their Go syntax (CVA-035).
func (f *frame) composeKey(names []string, get func(string) any) any {
	switch len(names) {
	case 1:
		return get(names[0])
	case 2:
		return [2]any{get(names[0]), get(names[1])}
	case 3:
		return [3]any{get(names[0]), get(names[1]), get(names[2])}
	}
	keys := make([]any, len(names))
	for i, name := range names {
		keys[i] = get(name)
	}
	return f.goSyntax(keys)
}

// goSyntax returns the Go syntax of data as a key. Data that contains itself gets a unique key.
func (f *frame) goSyntax(data any) any {
	if jsonval.TooDeep(data) {
		return new(int)
	}
	for range 8 {
		f.visitData(data, jsonval.MaxDepth)
	}
	return keyText(fmt.Sprintf("%#v", data))
}

// syntaxBytes is the number of bytes whose visit is as much work as printing one in Go syntax.
const syntaxBytes = 64

// itemKey returns the key of an item in a sum of list maps. names are escaped.
func (f *frame) itemKey(item value, names []string) any {
	return f.composeKey(names, func(name string) any {
		if !item.isMap() {
			return nil
		}
		v, ok := f.find(item, textValue(name))
		if !ok || v.failed() {
			return nil
		}
		switch v.kind {
		case kindRawMap, kindRawList:
			return f.goSyntax(v.ref)
		case kindList, kindMap:
			return new(int)
		}
		return f.setKey(v)
	})
}

func escapedKeys(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name
		if escaped, ok := types.EscapeName(name); ok {
			out[i] = escaped
		}
	}
	return out
}
