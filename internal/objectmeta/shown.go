package objectmeta

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/since"
)

// This file has the values in errors that are not printed as they are in the object, because a server has read them
// into Go types of its own.

// shown returns the value of a member as a bad value.
func (v Server) shown(m *Member, value any) any {
	switch {
	case m.Kind == String && m.goType != "string":
		return v.named(text(value))
	case m.Kind == String:
		return text(value)
	case v.Has(since.JSONValues):
		return value
	case m.Kind == Time, m.Kind == TimePointer && value != nil:
		var at time.Time
		if value != nil {
			at, _ = time.Parse(time.RFC3339, text(value))
		}
		return goValue{value, at.UTC().String()}
	}
	return value
}

// named returns s, a string of a named type, as a bad value. As JSON, some texts differ from how Go quotes strings.
func (v Server) named(s string) any {
	b, err := json.Marshal(s)
	if !v.Has(since.JSONValues) || err != nil || string(b) == strconv.Quote(s) {
		return s
	}
	return json.RawMessage(b)
}

// owner returns an owner reference as a bad value.
func (v Server) owner(m map[string]any) any {
	if v.Has(since.JSONValues) {
		return owners.inOrder(m)
	}
	return goValue{m, goOwner(m)}
}

// owners returns all owner references as a bad value. They are values of [Server.owner].
func (v Server) owners(all []any) any {
	if v.Has(since.JSONValues) {
		return all
	}
	texts := make([]string, len(all))
	for i, o := range all {
		texts[i] = o.(goValue).text
	}
	return goValue{all, "[]v1.OwnerReference{" + strings.Join(texts, ", ") + "}"}
}

// goOwner returns an owner reference in Go syntax. A server prints the addresses of booleans. These are random: here
// they are always the same.
func goOwner(m map[string]any) string {
	pointer := func(key string) string {
		if m[key] == nil {
			return "nil"
		}
		return "0xc000000000"
	}
	return fmt.Sprintf("v1.OwnerReference{APIVersion:%q, Kind:%q, Name:%q, UID:%q, Controller:(*bool)(%s), BlockOwnerDeletion:(*bool)(%s)}",
		text(m["apiVersion"]), text(m["kind"]), text(m["name"]), text(m["uid"]), pointer("controller"), pointer("blockOwnerDeletion"))
}

// A goValue is a bad value that a server prints in Go syntax. As JSON, it is the value in the object.
type goValue struct {
	value any
	text  string
}

func (g goValue) String() string { return g.text }

// MarshalJSON writes the value in the object.
func (g goValue) MarshalJSON() ([]byte, error) { return json.Marshal(g.value) }
