package protocol_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
)

const (
	jsonType = "application/json"
	yamlType = "application/yaml"
)

func encode(t testing.TB, v any) string {
	t.Helper()
	return string(given.JSON(t, v))
}

// encodeStatus prints the Status in err.
func encodeStatus(err error) string {
	var s *field.Status
	if !errors.As(err, &s) {
		return fmt.Sprintf("no Status: %v", err)
	}
	return fmt.Sprintf("%d %s: %s", s.Code, s.Reason, s.Message)
}
