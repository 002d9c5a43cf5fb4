package patch_test

import (
	"encoding/json"
	"fmt"

	"github.com/crdkit/crdkit/internal/patch"
)

func Example() {
	obj := map[string]any{"spec": map[string]any{"size": int64(3), "ports": []any{int64(80)}}}
	p, refused := patch.Accept("application/merge-patch+json", []byte(`{"spec":{"size":null,"ports":[443],"ports":[8443]}}`))
	if refused != nil {
		fmt.Println(refused)
		return
	}
	old, err := patch.Encode(obj)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, findings, refused := p.ApplyStrict(old)
	fmt.Println(string(text), findings, refused)
	// Output: {"spec":{"ports":[8443]}} [duplicate field "spec.ports"] <nil>
}

func ExamplePatch_Apply() {
	p, _ := patch.Accept("application/json-patch+json", []byte(`[
		{"op": "test", "path": "/spec/size", "value": 3},
		{"op": "replace", "path": "/spec/size", "value": 5},
		{"op": "copy", "from": "/spec/ports/0", "path": "/spec/ports/-"}
	]`))
	old := []byte(`{"spec":{"ports":[80],"size":3}}`)
	text, refused := p.Apply(old)
	fmt.Println(string(text), refused)
	_, refused = p.Apply(text)
	fmt.Println(refused.Code, refused)
	// Output:
	// {"spec":{"ports":[80,80],"size":5}} <nil>
	// 422 the server rejected our request due to an error in our request
}

func ExampleAccept() {
	_, refused := patch.Accept("application/strategic-merge-patch+json", []byte("{}"))
	fmt.Println(refused.Code, refused.Reason)
	// Output: 415 UnsupportedMediaType
}

func ExamplePatch_Check() {
	p, _ := patch.Accept("application/json-patch+json", []byte("[] []"))
	fmt.Println(p.Check())
	// Output: invalid JSON patch
}

func ExampleDiff() {
	sent := map[string]any{"spec": map[string]any{"ports": []any{int64(80), int64(81)}, "typo": true}}
	stored := map[string]any{"spec": map[string]any{"ports": []any{int64(80)}, "size": int64(1)}}
	text, err := json.Marshal(patch.Diff(sent, stored))
	fmt.Println(string(text), err)
	// Output: [{"op":"remove","path":"/spec/ports/1"},{"op":"add","path":"/spec/size","value":1},{"op":"remove","path":"/spec/typo"}] <nil>
}
