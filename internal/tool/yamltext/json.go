package yamltext

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/crdkit/crdkit/internal/manifest"
)

// parseJSON returns one JSON value as nodes with the positions of values and keys. The YAML parser cannot be used
// because it refuses escaped surrogates.
func parseJSON(text []byte) (*yaml.Node, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	at, offset := Position{1, 1}, 0 // of the last token
	var root yaml.Node
	open := []*yaml.Node{&root} // the lists and objects around the next value
	for {
		begin := len(text) - len(bytes.TrimLeft(text[decoder.InputOffset():], " \t\r\n,:"))
		at.Line, at.Column = manifest.Advance(at.Line, at.Column, text[offset:begin])
		offset = begin
		token, err := decoder.Token()
		if err != nil {
			if errors.Is(err, io.EOF) && len(root.Content) > 0 && len(open) == 1 {
				return root.Content[0], nil
			}
			return nil, err
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		around := open[len(open)-1]
		n := &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Line: at.Line, Column: at.Column}
		around.Content = append(around.Content, n)
		switch token := token.(type) {
		case json.Delim:
			n.Kind = yaml.MappingNode
			if token == '[' {
				n.Kind = yaml.SequenceNode
			}
			open = append(open, n)
		case string:
			n.Value = token
		}
	}
}
