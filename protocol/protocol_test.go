package protocol_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
)

func parse(t testing.TB, document string) *crd.CustomResourceDefinition {
	t.Helper()
	d, err := crd.Parse([]byte(document))
	require.NoError(t, err)
	return d
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// encodeStatus prints the Status in err.
func encodeStatus(err error) string {
	var s *field.Status
	if !errors.As(err, &s) {
		return fmt.Sprintf("no Status: %v", err)
	}
	return fmt.Sprintf("%d %s: %s", s.Code, s.Reason, s.Message)
}
