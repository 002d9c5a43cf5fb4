package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

func TestScaleSelector(t *testing.T) {
	for spec, want := range map[string]string{
		`{}`:                                     "",
		`{"selector":{"b":"1","a":""}}`:          "a=,b=1",
		`{"selector":{"matchLabels":{"a":"b"}}}`: "a=b",
		`{"selector":{"matchLabels":{"c":"d"},"matchExpressions":[{"key":"a","operator":"In","values":["y","x"]},
			{"key":"b","operator":"NotIn","values":["z"]},{"key":"e","operator":"Exists"},{"key":"d","operator":"DoesNotExist"}]}}`: "a in (x,y),b notin (z),c=d,!d,e",
		`{"selector":{"matchExpressions":[]}}`:   "",
		`{"selector":{"matchLabels":{"a":"("}}}`: "",
	} {
		require.Equal(t, want, scaleSelector(given.Object(t, `{"spec":`+spec+`}`)), spec)
	}
}
