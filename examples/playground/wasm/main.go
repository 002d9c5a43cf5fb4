//go:build js && wasm

package main

import (
	"runtime"
	"runtime/debug"
	"syscall/js"

	"github.com/crdkit/crdkit/examples/playground/internal/engine"
)

// collectAt is the size of the heap, in bytes, at which garbage is collected during an answer.
const collectAt = 256 << 20

func main() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(collectAt)
	var e engine.Engine
	js.Global().Set("crdkit", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(e.Answer(question(args[0])))
	}))
	js.Global().Set("crdkitCollect", js.FuncOf(func(js.Value, []js.Value) any {
		runtime.GC()
		return nil
	}))
	js.Global().Call("crdkitReady")
	select {}
}

// question reads a question. All fields except view are optional.
func question(v js.Value) *engine.Question {
	q := &engine.Question{View: v.Get("view").String()}
	for name, text := range map[string]*string{
		"definition": &q.Definition, "object": &q.Object, "stored": &q.Stored, "old": &q.Old, "in": &q.In,
	} {
		if value := v.Get(name); value.Type() == js.TypeString {
			*text = value.String()
		}
	}
	for name, number := range map[string]*int{"line": &q.Line, "column": &q.Column} {
		if value := v.Get(name); value.Type() == js.TypeNumber {
			*number = value.Int()
		}
	}
	if bounds := v.Get("bounds"); bounds.Type() == js.TypeObject {
		for i := range bounds.Length() {
			b := bounds.Index(i)
			q.Bounds = append(q.Bounds, engine.Bound{
				Path: b.Get("path").String(), Keyword: b.Get("keyword").String(), Value: int64(b.Get("value").Float()),
			})
		}
	}
	return q
}
