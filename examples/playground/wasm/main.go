//go:build js && wasm

package main

import (
	"syscall/js"

	"github.com/crdkit/crdkit/examples/playground/internal/engine"
)

func main() {
	var e engine.Engine
	js.Global().Set("crdkit", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(e.Answer([]byte(args[0].String())))
	}))
	js.Global().Call("crdkitReady")
	select {}
}
