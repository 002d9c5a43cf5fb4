package scenario

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
)

// Group is the group of the definition in scenarios. [Player.Group] replaces it.
const Group = "g.io"

// A Scenario is a sequence of requests.
type Scenario struct {
	Name     string    `json:"name"`
	Requests []Request `json:"requests"`
}

// A Request is an HTTP request. In its body, the resourceVersion "@" stands for the object's current one.
type Request struct {
	Area        string          `json:"area"` // what it is counted under
	Method      string          `json:"method"`
	Path        string          `json:"path"` // with its query
	ContentType string          `json:"contentType,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"`
	Answer      *Answer         `json:"answer,omitempty"` // the recorded one
}

// An Answer is what can be compared of the response to a request.
type Answer struct {
	Code     int             `json:"code"`
	Warnings []string        `json:"warnings,omitempty"` // sorted
	Body     json.RawMessage `json:"body,omitempty"`
}

// Write writes scenarios as compressed lines of JSON. The same scenarios give the same bytes.
func Write(w io.Writer, all []Scenario) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	e := json.NewEncoder(compressed)
	e.SetEscapeHTML(false)
	for _, s := range all {
		if err := e.Encode(s); err != nil {
			return err
		}
	}
	return compressed.Close()
}

// Read reads what Write has written.
func Read(r io.Reader) ([]Scenario, error) {
	compressed, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	defer compressed.Close()
	var all []Scenario
	for d := json.NewDecoder(compressed); ; {
		var s Scenario
		if err := d.Decode(&s); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
}
