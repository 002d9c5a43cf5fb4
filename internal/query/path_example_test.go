package query_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/query"
)

func ExamplePath_First() {
	p, err := query.ParsePath(".status.conditions[?(@.type=='Ready')].status")
	if err != nil {
		fmt.Println(err)
		return
	}
	left := int64(1000)
	fmt.Println(p.First(map[string]any{"status": map[string]any{"conditions": []any{
		map[string]any{"type": "Synced", "status": "False"},
		map[string]any{"type": "Ready", "status": "True"},
	}}}, &left))
	// Output: True true
}
