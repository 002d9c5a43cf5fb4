package audit

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/field"
)

// A Report is the result of a run. It marshals as JSON, and [Report.String] is text for people. For the same objects,
// both are the same except for the time.
type Report struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	// Objects is the number of objects, the sum of Clean, Changed, Broken, Foreign and Damaged.
	Objects int64 `json:"objects"`
	Clean   int64 `json:"clean"`
	Changed int64 `json:"changed"`
	Broken  int64 `json:"broken"`
	Foreign int64 `json:"foreign"`
	Damaged int64 `json:"damaged"`
	// Compared says that there was an old definition. New is the number of objects with a finding that the old definition
	// does not have: something is refused, or pruned. Without an old definition it is Broken.
	Compared bool  `json:"compared"`
	New      int64 `json:"new"`
	// Versions are the versions that objects are stored in, sorted by name.
	Versions []StoredVersion `json:"versions,omitempty"`
	// Removable are the versions in the definition's status.storedVersions in which no object is stored. They can be
	// removed from there, if the objects were all those of the store, as they lie in it: what kubectl prints is converted
	// to one version. It is empty if an object could not be read.
	Removable []string `json:"removable,omitempty"`
	// Unconverted is the number of objects that only the definition's conversion webhook could convert. They are checked
	// in their own version only.
	Unconverted int64 `json:"unconverted,omitempty"`
	// Findings are sorted by question, version, path, type and rule. There are at most 1,000. Omitted is the number of
	// findings of single objects that are not among them.
	Findings []Group `json:"findings,omitempty"`
	Omitted  int64   `json:"omitted,omitempty"`
	// Damages are the first 20 damaged objects.
	Damages   []Damage `json:"damages,omitempty"`
	Seconds   float64  `json:"seconds"`
	PerSecond float64  `json:"perSecond"`
}

// A StoredVersion is a version that objects are stored in.
type StoredVersion struct {
	Version string `json:"version"`
	Objects int64  `json:"objects"`
	Storage bool   `json:"storage,omitempty"` // it is the storage version
}

// A Group is one finding, and the objects that have it.
type Group struct {
	Question Question        `json:"question"`
	Version  string          `json:"version"`
	Type     field.ErrorType `json:"type,omitempty"`
	Path     string          `json:"path,omitempty"`
	Rule     string          `json:"rule,omitempty"`
	Objects  int64           `json:"objects"`          // number of objects with it
	Before   int64           `json:"before,omitempty"` // number of these that have it under the old definition, too
	Names    []string        `json:"names"`            // of the first objects
	Text     string          `json:"text"`             // of the first object's error

	first int64 // the position of the first
	named []positioned
}

func (g *Group) key() findingKey { return findingKey{g.Question, g.Version, g.Path, g.Rule, g.Type} }

// A Damage is an object that could not be read.
type Damage struct {
	Position int64  `json:"position"` // among the objects, from 0
	Error    string `json:"error"`
}

// String returns the report as text, with a line break at its end.
func (r *Report) String() string {
	var b strings.Builder
	name := r.Kind
	if r.Group != "" {
		name += "." + r.Group
	}
	fmt.Fprintf(&b, "%s: %d objects, %d clean, %d changed, %d broken", name, r.Objects, r.Clean, r.Changed, r.Broken)
	if r.Compared {
		fmt.Fprintf(&b, " (%d by the change)", r.New)
	}
	fmt.Fprintf(&b, ", %d of another kind, %d damaged\n", r.Foreign, r.Damaged)
	if len(r.Versions) > 1 || len(r.Versions) == 1 && !r.Versions[0].Storage {
		b.WriteString("stored in")
		for i, v := range r.Versions {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, " %s: %d", v.Version, v.Objects)
		}
		b.WriteString("\n")
	}
	if len(r.Removable) > 0 {
		fmt.Fprintf(&b, "if these are all objects of the store, status.storedVersions does not need %s any more\n", strings.Join(r.Removable, ", "))
	}
	if r.Unconverted > 0 {
		fmt.Fprintf(&b, "%d objects are checked in their own version only: the definition has a conversion webhook, which is not called\n", r.Unconverted)
	}
	for i := range r.Findings {
		r.Findings[i].write(&b, r.Compared)
	}
	if r.Omitted > 0 {
		fmt.Fprintf(&b, "\n%d more findings\n", r.Omitted)
	}
	if len(r.Damages) > 0 {
		b.WriteString("\ndamaged:\n")
	}
	for _, d := range r.Damages {
		fmt.Fprintf(&b, "  object %d: %s\n", d.Position+1, short(d.Error))
	}
	return b.String()
}

func (g *Group) write(b *strings.Builder, compared bool) {
	fmt.Fprintf(b, "\n%s %s", g.Question, g.Version)
	if g.Path != "" {
		b.WriteString(" " + g.Path)
	}
	if g.Type != "" {
		fmt.Fprintf(b, " %s", g.Type)
	}
	fmt.Fprintf(b, ": %d", g.Objects)
	if compared {
		fmt.Fprintf(b, ", %d of them before", g.Before)
	}
	b.WriteString("\n")
	if g.Rule != "" {
		fmt.Fprintf(b, "  rule: %s\n", short(g.Rule))
	}
	fmt.Fprintf(b, "  %s\n  %s", short(g.Text), strings.Join(g.Names, ", "))
	if int64(len(g.Names)) < g.Objects {
		b.WriteString(", ...")
	}
	b.WriteString("\n")
}

// short returns a text on one line, cut if it is long.
func short(text string) string {
	if quoted, err := json.Marshal(text); err == nil && strings.ContainsAny(text, "\r\n\x1b") {
		text = string(quoted)
	}
	return truncate(text, 300)
}
