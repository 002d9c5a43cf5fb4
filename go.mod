module github.com/crdkit/crdkit

go 1.25.0

require (
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v2 v2.4.2
	sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
