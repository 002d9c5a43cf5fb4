package protocol_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/protocol"
)

// KCT-022, KCT-040: the refusals of a server, byte for byte.
func TestStatuses(t *testing.T) {
	r := protocol.GroupResource{Group: "auto.example.com", Resource: "scalers"}
	pods := protocol.GroupResource{Resource: "pods"}
	const details = `"details":{"name":"a","group":"auto.example.com","kind":"scalers"}`
	reason := func(message, rest string) string {
		return `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"` + message + `","reason":` + rest + `}`
	}
	for _, row := range []struct {
		name string
		got  *field.Status
		want string
	}{
		{"KCT-040 no object", r.NotFound("a"), reason(`scalers.auto.example.com \"a\" not found`, `"NotFound",`+details+`,"code":404`)},
		{"KCT-040 of the core group", pods.NotFound("a"), reason(`pods \"a\" not found`, `"NotFound","details":{"name":"a","kind":"pods"},"code":404`)},
		{"KCT-040 exists", r.AlreadyExists("a"), reason(`scalers.auto.example.com \"a\" already exists`, `"AlreadyExists",`+details+`,"code":409`)},
		{"KCT-040 generated names exist", r.NameNotGenerated("a"), reason(`scalers.auto.example.com \"a\" already exists, the server was not able to generate a unique name for the object`,
			`"AlreadyExists","details":{"name":"a","group":"auto.example.com","kind":"scalers","retryAfterSeconds":1},"code":409`)},
		{"KCT-040 stale", r.Modified("a"), reason(`Operation cannot be fulfilled on scalers.auto.example.com \"a\": the object has been modified; please apply your changes to the latest version and try again`,
			`"Conflict",`+details+`,"code":409`)},
		{"DSC-008 definition is terminating", r.Terminating("a"), reason(`scalers.auto.example.com \"a\" is forbidden: create not allowed while custom resource definition is terminating`,
			`"Forbidden",`+details+`,"code":403`)},
		{"KCT-040 forbidden for all", r.Forbidden("", "no"), reason(`scalers.auto.example.com is forbidden: no`,
			`"Forbidden","details":{"group":"auto.example.com","kind":"scalers"},"code":403`)},
		{"KCT-040 verb", r.MethodNotAllowed("create"), reason(`create is not supported on resources of kind \"scalers.auto.example.com\"`,
			`"MethodNotAllowed","details":{"group":"auto.example.com","kind":"scalers"},"code":405`)},
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
