package yamltext_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

func ExampleLocate() {
	file := []byte(`# Source: shop/templates/widget.yaml
apiVersion: example.org/v1
kind: Widget
spec:
  sizes: [1, 2]
`)
	for _, part := range yamltext.Split(file) {
		doc, err := yamltext.Locate(part)
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
