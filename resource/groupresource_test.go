package resource_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
)

// KCT-022, KCT-040: the refusals that name a resource, byte for byte.
func TestGroupResource(t *testing.T) {
	r := resource.GroupResource{Group: "auto.example.com", Resource: "scalers"}
	pods := resource.GroupResource{Resource: "pods"}
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
	} {
		got, err := json.Marshal(row.got)
		require.NoError(t, err)
		require.Equal(t, row.want, string(got), row.name)
	}
}
