package protocol_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/server/protocol"
)

// KCT-022, KCT-040: the refusals of a server, byte for byte.
func TestStatuses(t *testing.T) {
	reason := func(message, rest string) string {
		return `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"` + message + `","reason":` + rest + `}`
	}
	for _, row := range []struct {
		name string
		got  *field.Status
		want string
	}{
		{"TAB-032 not acceptable", protocol.NotAcceptable("a/b", "c/d"), reason("only the following media types are accepted: a/b, c/d", `"NotAcceptable","code":406`)},
		{"KCT-040 not there yet", protocol.TooNew(9, 5), reason("Timeout: Too large resource version: 9, current: 5",
			`"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504`)},
		{"internal", protocol.Internal(errors.New("why")), reason("Internal error occurred: why", `"InternalError","details":{"causes":[{"message":"why"}]},"code":500`)},
	} {
		require.Equal(t, row.want, encode(t, row.got), row.name)
	}
}

func TestDryRun(t *testing.T) {
	for _, row := range []struct {
		values  []string
		dry     bool
		refused string
	}{
		{nil, false, ""},
		{[]string{"All"}, true, ""},
		{[]string{"All", "All"}, true, ""},
		{[]string{"Foo"}, false, `422 Invalid: CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]: supported values: "All"`},
		{[]string{"All", ""}, false, `422 Invalid: CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["All",""]: supported values: "All"`},
	} {
		dry, errs := protocol.DryRun(row.values)
		require.Equal(t, row.dry, dry, "KCT-026 %q", row.values)
		if row.refused == "" {
			require.Nil(t, errs, "KCT-026 %q", row.values)
			continue
		}
		require.Equal(t, row.refused, encodeStatus(protocol.OptionsStatus("CreateOptions", errs)), "KCT-026, KCT-040 %q", row.values)
	}
}
