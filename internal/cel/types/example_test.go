package types_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

func ExampleScope() {
	props, err := schema.Decode([]byte(`
type: object
properties:
  names: {type: array, maxItems: 10, items: {type: string, maxLength: 63}}
  api-group: {type: string}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, errs := schema.Compile(props)
	if len(errs) > 0 {
		fmt.Println(errs)
		return
	}
	self := types.Scope(plan.Root(s))
	names := self.Field("names")
	fmt.Println(names.CEL(), names.Size(), names.Elem().Size())

	escaped, _ := types.EscapeName("api-group")
	fmt.Println(escaped, self.Field(escaped).CEL(), self.Field("api-group") == nil)
	fmt.Println(self.Field("metadata").Field("name").Size())
	// Output:
	// list(string) 10 252
	// api__dash__group string true
	// 1012
}
