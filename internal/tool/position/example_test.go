package position_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/tool/position"
)

func ExampleLocate() {
	file := []byte(`# Source: shop/templates/widget.yaml
apiVersion: example.org/v1
kind: Widget
spec:
  sizes: [1, 2]
`)
	for _, part := range position.Split(file) {
		doc, err := position.Locate(part)
		if err != nil {
			fmt.Println(err)
			continue
		}
		path, _ := doc.Pointer("/spec/sizes/1")
		value, _ := doc.Value(path)
		fmt.Println(part.Template, value)
	}
	// Output: shop/templates/widget.yaml 5:14
}
