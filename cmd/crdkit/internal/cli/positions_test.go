package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/tool/finding"
)

// The faults that are made up: each is one finding.
const (
	badValue = iota
	missingField
	unknownKey
	faultKinds
)

// A madeFile is a file that is written with faults in it.
type madeFile struct {
	bytes.Buffer
	random *rand.Rand
	eol    string
	want   []string // line:column of each fault
}

func (m *madeFile) eols() { m.WriteString(m.eol) }

// here is a fault at what is written next.
func (m *madeFile) here() {
	text := m.String()
	at := strings.LastIndexByte(text, '\n') + 1
	m.want = append(m.want, fmt.Sprintf("%d:%d", strings.Count(text, "\n")+1, utf8.RuneCountInString(text[at:])+1))
}

// A made is a value that is written: maps have their keys in order.
type made struct {
	keys   []string
	fields []*made
	items  []*made
	scalar string
	fault  string // "value", or "key" for the key in front
}

func scalar(text string) *made { return &made{scalar: text} }

func fields(all ...any) *made {
	m := &made{}
	for i := 0; i < len(all); i += 2 {
		m.keys, m.fields = append(m.keys, all[i].(string)), append(m.fields, all[i+1].(*made))
	}
	return m
}

// widgetWith returns a Widget with a fault.
func widgetWith(random *rand.Rand, fault int, name string) *made {
	parts := &made{}
	for i := range 1 + random.IntN(4) {
		parts.items = append(parts.items, fields("id", scalar(fmt.Sprintf(`"p%d"`, i)), "tags", &made{items: []*made{scalar(`"é"`), scalar(`"x"`)}}))
	}
	spec := fields("name", scalar(`"ü`+strings.Repeat("x", random.IntN(9))+`"`), "high", scalar("9"), "parts", parts)
	part := parts.items[random.IntN(len(parts.items))]
	switch fault {
	case badValue:
		bad := []*made{spec.fields[0], spec.fields[1], part.fields[1].items[random.IntN(2)]}[random.IntN(3)]
		bad.scalar, bad.fault = []string{"[]", "{}", "true"}[random.IntN(3)], "value"
	case missingField:
		spec.keys, spec.fields = spec.keys[1:], spec.fields[1:]
	case unknownKey:
		into := []*made{spec, part}[random.IntN(2)]
		into.keys, into.fields = append(into.keys, "strange"), append(into.fields, &made{scalar: "1", fault: "key"})
	}
	order := random.Perm(len(spec.keys))
	keys, values := make([]string, len(order)), make([]*made, len(order))
	for i, k := range order {
		keys[i], values[i] = spec.keys[k], spec.fields[k]
	}
	spec.keys, spec.fields = keys, values
	object := fields("apiVersion", scalar(`"example.org/v1"`), "kind", scalar(`"Widget"`), "metadata", fields("name", scalar(`"`+name+`"`)), "spec", spec)
	if fault == missingField {
		spec.fault = "key"
	}
	return object
}

// flow writes a value as JSON, or as YAML in flow style, which takes the same.
func (m *madeFile) flow(v *made, spread bool) {
	blank := func() {
		if spread && m.random.IntN(3) == 0 {
			m.eols()
			m.WriteString("    ")
		}
	}
	if v.fault == "value" {
		m.here()
	}
	switch {
	case v.keys != nil:
		m.WriteString("{")
		for i, k := range v.keys {
			if i > 0 {
				m.WriteString(", ")
			}
			blank()
			if v.fields[i].fault == "key" {
				m.here()
			}
			fmt.Fprintf(m, "%q: ", k)
			blank()
			m.flow(v.fields[i], spread)
		}
		m.WriteString("}")
	case v.items != nil:
		m.WriteString("[")
		for i, item := range v.items {
			if i > 0 {
				m.WriteString(",")
			}
			blank()
			m.flow(item, spread)
		}
		m.WriteString("]")
	default:
		m.WriteString(v.scalar)
	}
}

// block writes a value in block style, or parts of it in flow style.
func (m *madeFile) block(v *made, indent int) {
	pad := strings.Repeat(" ", indent)
	switch {
	case v.keys != nil:
		for i, k := range v.keys {
			if i > 0 {
				if m.random.IntN(5) == 0 {
					m.WriteString("# a comment: é {" + m.eol)
				}
				m.WriteString(pad)
			}
			f := v.fields[i]
			if f.fault == "key" {
				m.here()
			}
			m.WriteString(k + ":")
			switch {
			case f.keys == nil && f.items == nil, m.random.IntN(6) == 0:
				m.WriteString(strings.Repeat(" ", 1+m.random.IntN(3)))
				m.flow(f, false)
				m.eols()
			case f.items != nil:
				m.eols()
				m.WriteString(pad + "- ")
				m.block(f, indent)
			default:
				m.eols()
				m.WriteString(pad + "  ")
				m.block(f, indent+2)
			}
		}
	case v.items != nil:
		for i, item := range v.items {
			if i > 0 {
				m.WriteString(pad + "- ")
			}
			if item.keys == nil && item.items == nil {
				m.flow(item, false)
				m.eols()
			} else {
				m.block(item, indent+2)
			}
		}
	}
}

// Each of 2,100 made-up faults is found where it was put, in block and flow style, JSON, lists, and files of several
// documents.
func TestPlaces(t *testing.T) {
	enter(t, scriptFile(t, "validate.txtar", "crd.yaml"))
	random := rand.New(rand.NewPCG(29, 0))
	faults := 0
	for n := range 70 {
		m := &madeFile{random: random, eol: []string{"\n", "\r\n"}[n%2]}
		style := n % 5
		m.WriteString([]string{"", "\ufeff", "# Source: a/b.yaml" + m.eol}[n%3])
		bom := n%3 == 1
		if style == 4 {
			m.WriteString("apiVersion: v1" + m.eol + "kind: List" + m.eol + "items:" + m.eol)
		}
		for i := range 30 {
			o := widgetWith(random, i%faultKinds, fmt.Sprintf("w%d", i))
			if style != 4 && i > 0 {
				m.WriteString("---" + m.eol)
			}
			switch style {
			case 0, 1:
				m.block(o, 0)
			case 2, 3:
				m.flow(o, style == 3)
				m.eols()
			case 4:
				m.WriteString("- ")
				m.block(o, 2)
			}
			faults++
		}
		file := fmt.Sprintf("f%d.yaml", n)
		write(t, file, m.String())
		var out bytes.Buffer
		require.Equal(t, 1, Main([]string{"validate", "-crd", "crd.yaml", "-strict", "-o", "json", file}, nil, &out, io.Discard), "%s", m.String())
		var got struct{ Findings []finding.Finding }
		require.NoError(t, json.Unmarshal(out.Bytes(), &got))
		var places []string
		for _, f := range got.Findings {
			if f.Severity == finding.Error {
				places = append(places, f.Position.String())
			}
		}
		want := m.want
		if bom { // which is no character of the first line
			for i, p := range want {
				var line, column int
				_, err := fmt.Sscanf(p, "%d:%d", &line, &column)
				require.NoError(t, err)
				if line == 1 {
					want[i] = fmt.Sprintf("%d:%d", line, column-1)
				}
			}
		}
		require.Equal(t, want, places, "style %d of %s:\n%s", style, file, m.String())
	}
	require.GreaterOrEqual(t, faults, 2000)
}
