package query_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/query"
)

func ExampleSelectable_Selector() {
	offered := query.NewSelectable(true, ".spec.colour")
	s, err := offered.Selector("tier in (front, back), !legacy", "spec.colour!=red")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Matches(map[string]any{
		"metadata": map[string]any{"name": "a", "labels": map[string]any{"tier": "front"}},
		"spec":     map[string]any{"colour": "blue"},
	}))
	fmt.Println(s.Labels())
	_, err = offered.Selector("", "spec.size=3")
	fmt.Println(err)
	// Output:
	// true
	// !legacy,tier in (back,front)
	// field label not supported: spec.size
}
