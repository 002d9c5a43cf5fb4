package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/crdkit/crdkit/internal/refusal"
)

// An Engine answers questions.
type Engine struct {
	last *definition // the last validated definition, which does not change while the user edits an object
}

// A Question is what the page asks.
type Question struct {
	View       string  // a name in views
	Definition string  // the text of the definition
	Object     string  // the text of the object
	Stored     string  // the text of the stored object, for an update; empty for a create
	Old        string  // the text of the old definition, for the view "compare"
	In         string  // the text that has the cursor, for the view "explain": "definition" or "object"
	Line       int     // of the cursor, from 1
	Column     int     // likewise, in characters
	Bounds     []Bound // to set, for the view "fix"
}

// A Bound is a value for a keyword of a schema.
type Bound struct {
	Path    string `json:"path"`
	Keyword string `json:"keyword"`
	Value   int64  `json:"value"`
}

// maxText is the maximum length of a text: a server's limit for a request (DEC-016).
const maxText = refusal.MaxBody

// views are the functions that answer questions, by name.
var views = map[string]func(e *Engine, ctx context.Context, q *Question) (any, error){
	"validate": (*Engine).validate,
	"rules":    (*Engine).rules,
	"versions": (*Engine).versions,
	"samples":  (*Engine).samples,
	"explain":  (*Engine).explain,
	"compare":  (*Engine).compare,
	"fix":      (*Engine).fix,
}

// Answer answers a question, as JSON: {"answer": ...} or {"error": "why"}.
func (e *Engine) Answer(q *Question) []byte {
	var reply struct {
		Answer any    `json:"answer,omitempty"`
		Error  string `json:"error,omitempty"`
	}
	answer, err := e.answer(q)
	if reply.Answer = answer; err != nil {
		reply.Answer, reply.Error = nil, err.Error()
	}
	out, err := json.Marshal(reply)
	if err != nil {
		out, _ = json.Marshal(map[string]string{"error": err.Error()})
	}
	return out
}

func (e *Engine) answer(q *Question) (any, error) {
	for name, text := range map[string]string{"definition": q.Definition, "object": q.Object, "stored object": q.Stored, "old definition": q.Old} {
		if len(text) > maxText {
			return nil, fmt.Errorf("the %s has more than 3 MiB, a server's limit", name)
		}
	}
	view := views[q.View]
	if view == nil {
		return nil, fmt.Errorf("there is no view %q", q.View)
	}
	return view(e, context.Background(), q)
}
