package kubeversion

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/schema"
)

// A place is the position of a schema, or of a part of one, in a document.
type place struct {
	above *place
	at    schema.Location // in the place above
	depth int
	// lenient: a strict decoder does not check this place. A server's types for items, additionalProperties,
	// additionalItems and dependencies decode themselves, and not strictly.
	lenient bool
}

func placeOf(path string) *place { return &place{at: schema.Location{Keyword: path}} }

func (p *place) below(key string) *place { return p.in(schema.Location{Keyword: key}) }

func (p *place) in(at schema.Location) *place {
	below := &place{p, at, p.depth + 1, p.lenient}
	switch at.Keyword {
	case "items", "additionalProperties", "additionalItems", "dependencies":
		below.lenient = true
	}
	return below
}

// String returns the path as a strict decoder writes it.
func (p *place) String() string {
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p *place) write(b *strings.Builder) {
	if p.above != nil {
		p.above.write(b)
		b.WriteByte('.')
	}
	for i, s := range p.at.Path(nil).Segments() {
		switch {
		case s.IsIndex:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case i > 0:
			b.WriteString("." + s.Key)
		default:
			b.WriteString(s.Key)
		}
	}
}
