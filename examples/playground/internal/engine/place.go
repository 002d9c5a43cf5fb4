package engine

import (
	"go.yaml.in/yaml/v3"

	"github.com/crdkit/crdkit/field"
)

// pathAt returns the path of the value that the cursor is in: of the last key or item that begins at or before it.
func (t *text) pathAt(line, column int) []field.Segment {
	var doc yaml.Node
	if yaml.Unmarshal(t.Part.Text, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	if line == t.Part.Line {
		column -= t.Part.Column - 1
	}
	line -= t.Part.Line - 1
	// In block style a line has one key or item, except that the first key of an item is in the same line as its dash.
	begun := func(n, of *yaml.Node) bool {
		return n.Line < line || n.Line == line && (of.Style&yaml.FlowStyle == 0 || n.Column <= column)
	}
	var path []field.Segment
	for n := doc.Content[0]; n != nil; {
		var next *yaml.Node
		var step field.Segment
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content) && begun(n.Content[i], n); i += 2 {
				step, next = field.Segment{Key: n.Content[i].Value}, n.Content[i+1]
			}
		case yaml.SequenceNode:
			for i := 0; i < len(n.Content) && begun(n.Content[i], n); i++ {
				step, next = field.Segment{Index: i, IsIndex: true}, n.Content[i]
			}
		}
		if next != nil {
			path = append(path, step)
		}
		n = next
	}
	return path
}
