module github.com/crdkit/crdkit

go 1.25.0

// Not in ./..., which pre-commit installs. A name such as ./examples/quickstart works.
ignore (
	./cmd/crdkit/internal/dist
	./examples
	./internal/test/mutate
)

require (
	github.com/antlr4-go/antlr/v4 v4.13.1
	github.com/blang/semver/v4 v4.0.0
	github.com/google/cel-go v0.29.2
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v2 v2.4.2
	go.yaml.in/yaml/v3 v3.0.5
	sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730
	sigs.k8s.io/structured-merge-diff/v6 v6.4.2
	sigs.k8s.io/yaml v1.6.0
)

require (
	cel.dev/expr v0.25.1 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	golang.org/x/exp v0.0.0-20240823005443-9b4947da3948 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
