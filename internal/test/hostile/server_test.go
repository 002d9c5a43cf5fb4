package hostile

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/server"
)

// serverRows are requests to an API server with a store in memory.
var serverRows = slices.Concat(
	// The types of a definition's fields are looked at again for the text of the refusal.
	serverDefinition("a wrong type below a long text", 3<<20-1000, true, func(n int) string {
		return strings.Repeat(`{"items":`, 15) + `{"description":"` + strings.Repeat("x", n) + `","minimum":"3"}` + strings.Repeat("}", 15)
	}),
	serverDefinition("a wrong type below many items", 2500, false, func(n int) string {
		return strings.Repeat(`{"items":`, n) + `{"minimum":"3"}` + strings.Repeat("}", n)
	}),
	serverDefinition("a wrong type below more items than have a server's text", 9000, false, func(n int) string {
		return strings.Repeat(`{"items":`, n) + `{"minimum":"3"}` + strings.Repeat("}", n)
	}),
	serverDefinition("wrong types in many places", 3<<20-1000, true, func(n int) string {
		return `{"properties":{` + requestList(n, func(i int) string { return fmt.Sprintf(`"p%d":{"minimum":"3"}`, i) }) + `}}`
	}),
	[]row{
		serverPod("with many wrong containers", func(n int) string {
			return `"containers":[` + requestList(n, func(i int) string {
				return `{"name":"A_","ports":[{"containerPort":0,"name":"--"}],"imagePullPolicy":"x","livenessProbe":{},"volumeMounts":[{"name":"v"}]}`
			}) + `]`
		}),
		serverPod("with many volumes", func(n int) string {
			return `"containers":[{"name":"c","image":"i"}],"volumes":[` + requestList(n, func(i int) string { return `{"name":"v","emptyDir":{},"secret":{}}` }) + `]`
		}),
		serverPod("with a long name of a port", func(n int) string {
			return `"containers":[{"name":"c","image":"i","ports":[{"containerPort":1,"name":"` + strings.Repeat("-", n) + `"}]}]`
		}),
		serverObject("a ConfigMap with many wrong keys", "/api/v1/namespaces/default/configmaps/c", func(n int) string {
			return `"data":{` + requestList(n, func(i int) string { return fmt.Sprintf(`"a %d":""`, i) }) + `}`
		}, nil),
		serverObject("an Ingress with many wrong paths", "/apis/networking.k8s.io/v1/namespaces/default/ingresses/i", func(n int) string {
			return `"spec":{"rules":[{"http":{"paths":[` + requestList(n, func(int) string { return `{"path":"/./","pathType":"Exact","backend":{}}` }) + `]}}]}`
		}, nil),
		serverObject("a Service whose addresses become wrong", "/api/v1/namespaces/default/services/s", func(n int) string {
			return `"spec":{"ports":[{"port":80}],"externalIPs":[` + requestList(n, func(i int) string { return fmt.Sprintf(`"10.%d.%d.%d"`, i>>16&255, i>>8&255, i&255) }) + `]}`
		}, func(n int) string {
			return `"spec":{"externalIPs":[` + requestList(n, func(int) string { return `"x"` }) + `]}`
		}),
		serverPolicy("with many expressions", 3<<20-1000, true, "is invalid", func(n int) string {
			return `"validations":[` + requestList(n, func(i int) string { return `{"expression":"object.a","messageExpression":"params.a"}` }) + `]`
		}),
		serverPolicy("whose variables have types that double", 20_000, true, "201", func(n int) string {
			return `"validations":[{"expression":"true"}],"variables":[{"name":"v0","expression":"1"},` + serverVariables(n, "{variables.v%d: variables.v%d}") + `]`
		}),
		serverPolicy("whose expressions take long to check", 300, false, "too long to type-check", func(n int) string {
			double := "x"
			for range 40 {
				double = "[" + double + "].map(x, {x: x})[0]"
			}
			return `"validations":[` + strings.TrimSuffix(strings.Repeat(`{"expression":"[1].map(x, `+double+`) == 1"},`, n), ",") + `]`
		}),
		serverPolicy("whose expression has a type that is too large to print", 18, false, "a larger type", func(n int) string {
			return `"validations":[{"expression":"` + strings.Repeat("[", n) + "1" + strings.Repeat("].map(x, {x: x})", n) + `"}]`
		}),
		serverPolicyRow("variables that refer to each other", 10_000, false, "fails to evaluate", func(n int) string {
			return fmt.Sprintf(`"validations":[{"expression":"variables.v%d == 1"}],"variables":[{"name":"v0","expression":"1"},%s]`,
				n-1, serverVariables(n, "variables.v%d + variables.v%d"))
		}),
		serverPolicyRow("variables with large values", 5_000, false, "denied request", func(n int) string {
			all := make([]string, n)
			for i := range all {
				all[i] = fmt.Sprintf(`{"expression":"variables.v%d != []"}`, i)
			}
			return `"validations":[` + strings.Join(all, ",") + `],"variables":[` +
				`{"name":"v0","expression":"[0,1,2,3,4,5,6,7,8,9].map(x, object.data.long)"},` + serverVariables(n, "variables.v%d + [object.data.long + string(%d)]") + `]`
		}),
		serverPolicyRow("many validations that fail", 40_000, false, "denied request", func(n int) string {
			return `"validations":[` + strings.TrimSuffix(strings.Repeat(`{"expression":"false"},`, n), ",") + `]`
		}),
	},
)

// serverVariables returns the variables v1 to vn of a policy. format has the number of the one before twice.
func serverVariables(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`{"name":"v%d","expression":"`+format+`"}`, i+1, i, i)
	}
	return strings.Join(all, ",")
}

const (
	serverPolicyPath = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
	serverMatches    = `"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],"resources":["configmaps"]}]},`
)

// serverPolicy creates an admission policy.
func serverPolicy(name string, n int, linear bool, want string, spec func(n int) string) row {
	return row{name: "server: a policy " + name, n: n, linear: linear, want: want, setup: func(n int) func() string {
		s, err := server.New(context.Background(), server.Options{})
		if err != nil {
			return func() string { return err.Error() }
		}
		body := `{"metadata":{"name":"p"},"spec":{` + serverMatches + spec(n) + `}}`
		return func() string {
			defer s.Close()
			return serverAnswer(&http.Client{Transport: s.RoundTripper()}, http.MethodPost, serverPolicyPath, "application/json", body)
		}
	}}
}

// serverPolicyRow creates an object about which a policy is asked.
func serverPolicyRow(name string, n int, linear bool, want string, spec func(n int) string) row {
	return row{name: "server: a request with a policy of " + name, n: n, linear: linear, want: want, setup: func(n int) func() string {
		s, err := server.New(context.Background(), server.Options{})
		if err != nil {
			return func() string { return err.Error() }
		}
		c := &http.Client{Transport: s.RoundTripper()}
		made := serverAnswer(c, http.MethodPost, serverPolicyPath, "application/json", `{"metadata":{"name":"p"},"spec":{`+serverMatches+spec(n)+`}}`)
		bound := serverAnswer(c, http.MethodPost, strings.Replace(serverPolicyPath, "policies", "policybindings", 1), "application/json",
			`{"metadata":{"name":"p"},"spec":{"policyName":"p","validationActions":["Deny"]}}`)
		body := `{"metadata":{"name":"m"},"data":{"long":"` + strings.Repeat("x", 1<<20-1000) + `"}}`
		return func() string {
			defer s.Close()
			if !strings.HasPrefix(made, "201") || !strings.HasPrefix(bound, "201") {
				return made + bound
			}
			return serverAnswer(c, http.MethodPost, "/api/v1/namespaces/default/configmaps", "application/json", body)
		}
	}}
}

// serverPod creates a Pod whose spec is invalid.
func serverPod(name string, spec func(n int) string) row {
	return row{name: "server: a Pod " + name, n: 3<<20 - 1000, linear: true, want: "is invalid", setup: func(n int) func() string {
		s, err := server.New(context.Background(), server.Options{})
		if err != nil {
			return func() string { return err.Error() }
		}
		body := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{` + spec(n) + `}}`
		return func() string {
			defer s.Close()
			return serverAnswer(&http.Client{Transport: s.RoundTripper()}, http.MethodPost, "/api/v1/namespaces/default/pods", "application/json", body)
		}
	}}
}

// serverObject creates an object from what stands beside its metadata. If change is nil, the object is invalid; otherwise
// it is the same with a merge patch of the object.
func serverObject(name, path string, fields, change func(n int) string) row {
	return row{name: "server: " + name, n: 1 << 20, linear: true, want: "is invalid", setup: func(n int) func() string {
		s, err := server.New(context.Background(), server.Options{})
		if err != nil {
			return func() string { return err.Error() }
		}
		c := &http.Client{Transport: s.RoundTripper()}
		at := strings.LastIndex(path, "/")
		create := func() string {
			body := `{"metadata":{"name":"` + path[at+1:] + `"},` + fields(n) + `}`
			return serverAnswer(c, http.MethodPost, path[:at], "application/json", body)
		}
		if change == nil {
			return func() string {
				defer s.Close()
				return create()
			}
		}
		create()
		return func() string {
			defer s.Close()
			return serverAnswer(c, http.MethodPatch, path, "application/merge-patch+json", "{"+change(n)+"}")
		}
	}}
}

// serverDefinition has a definition with a schema that a server cannot decode, as the body of a create, and as a patch
// of a stored definition.
func serverDefinition(name string, n int, linear bool, schema func(n int) string) []row {
	const (
		path   = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
		start  = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.demo.example.com"},"spec":`
		fields = `{"group":"demo.example.com","scope":"Cluster","names":{"kind":"Widget","plural":"widgets"},` +
			`"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`
		end = `}}]}`
	)
	of := func(method, path, contentType string, body func(n int) string) func(n int) func() string {
		return func(n int) func() string {
			s, err := server.New(context.Background(), server.Options{})
			if err != nil {
				return func() string { return err.Error() }
			}
			c := &http.Client{Transport: s.RoundTripper()}
			if method == http.MethodPatch {
				serverAnswer(c, http.MethodPost, path[:strings.LastIndex(path, "/")], "application/json", start+fields+`{"type":"object"}`+end+"}")
			}
			text := body(n)
			return func() string {
				defer s.Close()
				return serverAnswer(c, method, path, contentType, text)
			}
		}
	}
	created := of(http.MethodPost, path, "application/json", func(n int) string { return start + fields + schema(n) + end + "}" })
	patched := of(http.MethodPatch, path+"/widgets.demo.example.com", "application/merge-patch+json", func(n int) string {
		return `{"spec":` + fields + schema(n) + end + "}"
	})
	return []row{
		{name: "server: a definition with " + name, n: n, linear: linear, want: "cannot be handled as a CustomResourceDefinition", setup: created},
		{name: "server: a patch of a definition with " + name, n: n, linear: linear, want: "is invalid: patch: Invalid value", setup: patched},
	}
}

func serverAnswer(c *http.Client, method, path, contentType, body string) string {
	r, err := http.NewRequest(method, "http://server"+path, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	r.Header.Set("Content-Type", contentType)
	answer, err := c.Do(r)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(answer.StatusCode, " ", string(text))
}
