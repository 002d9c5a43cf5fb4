package position

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdkit/crdkit/internal/manifest"
)

// parseJSON returns one JSON value as nodes with the positions of values and keys. The YAML parser cannot be used
// because it refuses escaped surrogates.
func parseJSON(text []byte) (*yaml.Node, error) {
	p := jsonParser{decoder: json.NewDecoder(bytes.NewReader(text)), text: text, line: 1, column: 1}
	p.decoder.UseNumber()
	var root yaml.Node
	open := []*yaml.Node{&root} // the lists and objects around the next value
	for {
		token, place, err := p.next()
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
		n := &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Line: place.line, Column: place.column}
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

// A jsonParser returns tokens with their positions.
type jsonParser struct {
	decoder      *json.Decoder
	text         []byte
	offset       int // of line and column
	line, column int
}

func (p *jsonParser) next() (json.Token, lineStart, error) {
	begin := int(p.decoder.InputOffset())
	for begin < len(p.text) && strings.IndexByte(" \t\r\n,:", p.text[begin]) >= 0 {
		begin++
	}
	token, err := p.decoder.Token()
	if err != nil {
		return nil, lineStart{}, err
	}
	p.line, p.column = manifest.Advance(p.line, p.column, p.text[p.offset:begin])
	p.offset = begin
	return token, lineStart{p.line, p.column}, nil
}
