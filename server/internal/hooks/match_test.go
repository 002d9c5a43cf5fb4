package hooks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
)

// hook compiles a webhook with a rule for all kites, and more members.
func hook(t *testing.T, more string) *Hook {
	t.Helper()
	all, err := Compile(given.Object(t, `{"metadata":{"name":"c"},"webhooks":[{"name":"a.example.com","clientConfig":{"url":"https://a"},
		"rules":[{"apiGroups":["g"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["kites"]}]`+more+`}]}`), true)
	require.NoError(t, err)
	return all[0]
}

func TestMatchRules(t *testing.T) {
	request := func() *Request {
		return &Request{Operation: Create, Group: "g", Version: "v1", Resource: "kites", Namespace: "n"}
	}
	rules := func(operations, groups, versions, resources, scope string) string {
		return `,"rules":[{"operations":[` + operations + `],"apiGroups":[` + groups + `],"apiVersions":[` + versions + `],"resources":[` + resources + `]` + scope + `}]`
	}
	for _, c := range []struct {
		name   string
		more   string
		change func(r *Request)
		want   string // the version; empty: no match
	}{
		{"the rule", "", func(*Request) {}, "v1"},
		{"another operation", "", func(r *Request) { r.Operation = Update }, ""},
		{"another group", "", func(r *Request) { r.Group = "h" }, ""},
		{"another resource", "", func(r *Request) { r.Resource = "boats" }, ""},
		{"a subresource", "", func(r *Request) { r.Sub = "status" }, ""},
		{"another version", "", func(r *Request) { r.Version = "v2" }, ""},
		{"an equivalent version", "", func(r *Request) { r.Version, r.Equivalents = "v2", []string{"v3", "v1"} }, "v1"},
		{"Exact", `,"matchPolicy":"Exact"`, func(r *Request) { r.Version, r.Equivalents = "v2", []string{"v1"} }, ""},
		{"wildcards", rules(`"*"`, `"*"`, `"*"`, `"*/*"`, ""), func(r *Request) { r.Operation, r.Sub = Delete, "status" }, "v1"},
		{"a star has no subresources", rules(`"*"`, `"*"`, `"*"`, `"*"`, ""), func(r *Request) { r.Sub = "status" }, ""},
		{"a subresource of all", rules(`"*"`, `"*"`, `"*"`, `"*/status"`, ""), func(r *Request) { r.Sub = "status" }, "v1"},
		{"all subresources", rules(`"*"`, `"*"`, `"*"`, `"kites/*"`, ""), func(r *Request) { r.Sub = "scale" }, "v1"},
		{"cluster", rules(`"*"`, `"*"`, `"*"`, `"*"`, `,"scope":"Cluster"`), func(*Request) {}, ""},
		{"cluster: no namespace", rules(`"*"`, `"*"`, `"*"`, `"*"`, `,"scope":"Cluster"`), func(r *Request) { r.Namespace = "" }, "v1"},
		{"cluster: a Namespace", rules(`"*"`, `"*"`, `"*"`, `"*"`, `,"scope":"Cluster"`), func(r *Request) { r.Group, r.Resource = "", "namespaces" }, "v1"},
		{"namespaced", rules(`"*"`, `"*"`, `"*"`, `"*"`, `,"scope":"Namespaced"`), func(r *Request) { r.Namespace = "" }, ""},
		{"namespaced: a Namespace", rules(`"*"`, `"*"`, `"*"`, `"*"`, `,"scope":"Namespaced"`), func(r *Request) { r.Group, r.Resource = "", "namespaces" }, ""},
		{"the old object's labels", `,"objectSelector":{"matchLabels":{"a":"b"}}`, func(r *Request) { r.Old = given.Object(t, `{"metadata":{"labels":{"a":"b"}}}`) }, "v1"},
		{"no object", `,"objectSelector":{"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]}`, func(*Request) {}, ""},
		{"no labels", `,"objectSelector":{"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]}`, func(r *Request) { r.Object = map[string]any{} }, "v1"},
		{"In", `,"objectSelector":{"matchExpressions":[{"key":"in","operator":"In","values":["notin","x"]}]}`,
			func(r *Request) { r.Object = given.Object(t, `{"metadata":{"labels":{"in":"notin"}}}`) }, "v1"},
		{"no namespace", `,"namespaceSelector":{"matchLabels":{"a":"b"}}`, func(r *Request) { r.Namespace = "" }, "v1"},
		{"another namespace", `,"namespaceSelector":{"matchLabels":{"a":"b"}}`, func(r *Request) {
			r.NamespaceLabels = func() (map[string]any, *field.Status) { return map[string]any{"a": "c"}, nil }
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request()
			c.change(r)
			version, matches, refused := hook(t, c.more).Match(r)
			require.Nil(t, refused)
			require.Equal(t, []any{c.want, c.want != ""}, []any{version, matches})
		})
	}
}

// A refusal counts only if the webhook would be called.
func TestMatchRefusals(t *testing.T) {
	missing := &field.Status{Code: 404}
	r := &Request{Operation: Create, Group: "g", Version: "v1", Resource: "kites", Namespace: "n",
		NamespaceLabels: func() (map[string]any, *field.Status) { return nil, missing }}
	h := hook(t, `,"namespaceSelector":{"matchLabels":{"a":"b"}}`)
	_, _, refused := h.Match(r)
	require.Same(t, missing, refused)
	r.Operation = Update
	_, matches, refused := h.Match(r)
	require.Nil(t, refused)
	require.False(t, matches)
	r.Operation = Create
	for _, selector := range []string{`{"matchLabels":{"a b":"c"}}`, `{"matchLabels":{"a":"b,c"}}`, `{"matchExpressions":[{"key":"a","operator":"Other"}]}`} {
		_, _, refused = hook(t, `,"objectSelector":`+selector).Match(r)
		require.EqualValues(t, 500, refused.Code)
	}
}

func TestCompile(t *testing.T) {
	h := hook(t, "")
	require.Equal(t, []any{"a.example.com", 10 * time.Second, false, false, ""}, []any{h.Name, h.Timeout, h.Ignore, h.DryRuns, h.Review})
	h = hook(t, `,"timeoutSeconds":100,"failurePolicy":"Ignore","sideEffects":"NoneOnDryRun","admissionReviewVersions":["v9","v1beta1","v1"],"reinvocationPolicy":"IfNeeded"`)
	require.Equal(t, []any{30 * time.Second, true, true, "v1beta1", true}, []any{h.Timeout, h.Ignore, h.DryRuns, h.Review, h.Reinvoked})
	_, err := Compile(given.Object(t, `{"webhooks":[{"name":1}]}`), true)
	require.Error(t, err)
	none, err := Compile(map[string]any{}, false)
	require.NoError(t, err)
	require.Empty(t, none)
}
