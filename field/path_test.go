package field_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
)

func TestPath(t *testing.T) {
	key := func(k string) field.Segment { return field.Segment{Key: k} }
	index := func(i int) field.Segment { return field.Segment{Index: i, IsIndex: true} }
	for _, tc := range []struct {
		name     string
		path     *field.Path
		text     string
		segments []field.Segment
		pointer  string
	}{
		{"EMD-004, GEN-004: the root", field.NewPath(), "<nil>", nil, ""},
		{"EMD-004: a field", field.NewPath("spec"), "spec", []field.Segment{key("spec")}, "/spec"},
		{"EMD-004: fields", field.NewPath("spec", "replicas"), "spec.replicas", []field.Segment{key("spec"), key("replicas")}, "/spec/replicas"},
		{"EMD-004, GEN-004: an index", field.NewPath("a").Index(0).Child("b"), "a[0].b", []field.Segment{key("a"), index(0), key("b")}, "/a/0/b"},
		{"EMD-004: an index of the root", field.NewPath().Index(12), "[12]", []field.Segment{index(12)}, "/12"},
		{"EMD-004, GEN-004: a key", field.NewPath("properties").Key("x").Child("type"), "properties[x].type", []field.Segment{key("properties"), key("x"), key("type")}, "/properties/x/type"},
		{"EMD-004: a key of the root", field.NewPath().Key("x"), "[x]", []field.Segment{key("x")}, "/x"},
		{"EMD-004: a key as it is", field.NewPath("properties").Key("a.b/c[0]"), "properties[a.b/c[0]]", []field.Segment{key("properties"), key("a.b/c[0]")}, "/properties/a.b~1c[0]"},
		{"EMD-004: an empty key", field.NewPath("properties").Key(""), "properties[]", []field.Segment{key("properties"), key("")}, "/properties/"},
		{"EMD-004: a field without a name", field.NewPath("spec").Child("").Child("a"), "spec[].a", []field.Segment{key("spec"), key(""), key("a")}, "/spec//a"},
		{"EMD-004: at the root too", field.NewPath(""), "[]", []field.Segment{key("")}, "/"},
		{"EMD-004: a field with dots", field.NewPath("scale.specReplicasPath"), "scale.specReplicasPath", []field.Segment{key("scale.specReplicasPath")}, "/scale.specReplicasPath"},
		{"pointer: a tilde", field.NewPath("a~b/c~1"), "a~b/c~1", []field.Segment{key("a~b/c~1")}, "/a~0b~1c~01"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.text, tc.path.String())
			require.Equal(t, tc.segments, tc.path.Segments())
			again := field.PathOf(tc.segments...)
			require.Equal(t, tc.segments, again.Segments())
			require.Equal(t, tc.pointer, field.Required(again, "").Pointer())
			e := field.Required(tc.path, "")
			require.Equal(t, tc.text, e.Field)
			require.Equal(t, tc.segments, e.Path.Segments())
			require.Equal(t, tc.pointer, e.Pointer())
		})
	}
}

// TestPathShared extends one path twice: neither sees the other.
func TestPathShared(t *testing.T) {
	p := field.NewPath("spec").Child("items")
	a, b := p.Index(1), p.Key("k").Child("x")
	require.Equal(t, "spec.items", p.String())
	require.Equal(t, "spec.items[1]", a.String())
	require.Equal(t, "spec.items[k].x", b.String())
	a.Segments()[0].Key = "changed"
	require.Equal(t, "spec.items[1]", a.String())
}

// FuzzPath builds the path that the text describes, one step a line, and compares its three forms with a simple
// reading.
func FuzzPath(f *testing.F) {
	f.Add(".spec\n.items\n#7\n.name")
	f.Add("@a/b~c\n.\n@\n#0\n.x.y")
	f.Fuzz(func(t *testing.T, text string) {
		var p *field.Path
		var segments []field.Segment
		printed, pointer := "", ""
		for _, line := range strings.Split(text, "\n") {
			if line == "" {
				continue
			}
			name := line[1:]
			switch line[0] {
			case '#':
				i := len(name)
				p = p.Index(i)
				segments = append(segments, field.Segment{Index: i, IsIndex: true})
				name = strconv.Itoa(i)
				printed += "[" + name + "]"
			case '@':
				p = p.Key(name)
				segments = append(segments, field.Segment{Key: name})
				printed += "[" + name + "]"
			default:
				p = p.Child(name)
				switch {
				case name == "":
					printed += "[]"
				case len(segments) == 0:
					printed += name
				default:
					printed += "." + name
				}
				segments = append(segments, field.Segment{Key: name})
			}
			pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		}
		if p == nil {
			printed = "<nil>"
		}
		e := field.Forbidden(p, "d")
		require.Equal(t, printed+": Forbidden: d", e.Error())
		require.Equal(t, segments, e.Path.Segments())
		require.Equal(t, pointer, e.Pointer())
	})
}
