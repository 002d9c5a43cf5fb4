package eval

import (
	"context"
	"math"
	"strings"

	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/since"
)

// The functions of authorizers. A rule has no authorizer: there they only determine the text of an invalid call, and its
// estimated cost (CEN-034).

var (
	authorizerType    = types.NewObjectType(typeNames[kindAuthorizer])
	pathCheckType     = types.NewObjectType(typeNames[kindPathCheck])
	groupCheckType    = types.NewObjectType(typeNames[kindGroupCheck])
	resourceCheckType = types.NewObjectType(typeNames[kindResourceCheck])
	decisionType      = types.NewObjectType(typeNames[kindDecision])
)

// An Inquiry is what an expression asks an authorizer: may a user send such a request? It is about a path, or about a
// resource.
type Inquiry struct {
	// ServiceAccount is the namespace and the name of the service account whose request it is; nil: the user is that of
	// the authorizer.
	ServiceAccount *[2]string

	Verb, Path                                    string
	Group, Resource, Subresource, Namespace, Name string
}

// An Authorizer answers inquiries.
type Authorizer func(ctx context.Context, i Inquiry) (allowed bool, reason string)

// Variable returns a as the value of a variable.
func (a Authorizer) Variable() Variable {
	return Variable{value{kind: kindAuthorizer, ref: &inquiry{ask: a}}}
}

// Resource returns the value of a variable that is a check of a resource, to which a verb is still to be added.
func (a Authorizer) Resource(i Inquiry) Variable {
	return Variable{value{kind: kindResourceCheck, ref: &inquiry{i, a}}}
}

// ResourceCheckType returns the type of checks of a resource.
func ResourceCheckType() *types.Type { return resourceCheckType }

// An inquiry is an Inquiry that an expression is putting together.
type inquiry struct {
	Inquiry
	ask Authorizer
}

type decision struct {
	allowed bool
	reason  string
}

// String returns the name of the type of authorizers.
func (*inquiry) String() string { return typeNames[kindAuthorizer] }

// String returns the name of the type of decisions.
func (*decision) String() string { return typeNames[kindDecision] }

// asking returns the binding of a method that adds its argument to an inquiry. empty is the error for an argument of
// blanks, or "" if there is none.
func asking(k kind, empty string, set func(i *Inquiry, arg string)) binding {
	return func(_ *frame, a []value) value {
		arg := a[1].str()
		if empty != "" && strings.TrimSpace(arg) == "" {
			return failure(empty)
		}
		next := *a[0].ref.(*inquiry)
		set(&next.Inquiry, arg)
		return value{kind: k, ref: &next}
	}
}

func withServiceAccount(_ *frame, a []value) value {
	namespace, name := a[1].str(), a[2].str()
	switch {
	case format.DNS1123Subdomain(name) != nil:
		return failure("Invalid service account name")
	case format.DNS1123Label(namespace) != nil:
		return failure("Invalid service account namespace")
	}
	next := *a[0].ref.(*inquiry)
	next.ServiceAccount = &[2]string{namespace, name}
	return value{kind: kindAuthorizer, ref: &next}
}

// decide asks the authorizer.
func decide(f *frame, a []value) value {
	of := *a[0].ref.(*inquiry)
	of.Verb = a[1].str()
	ctx := f.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	allowed, reason := of.ask(ctx, of.Inquiry)
	return value{kind: kindDecision, ref: &decision{allowed, reason}}
}

func authorization() []*Function {
	deciding := func(_ *frame, _ []value, _ value) int64 { return 350_000 }
	return []*Function{
		fn("path", method("authorizer_path", pathCheckType, authorizerType, stringType).does(asking(kindPathCheck, "path must not be empty", func(i *Inquiry, s string) { i.Path = s }))),
		fn("group", method("authorizer_group", groupCheckType, authorizerType, stringType).does(asking(kindGroupCheck, "", func(i *Inquiry, s string) { i.Group = s }))),
		fn("serviceAccount", method("authorizer_serviceaccount", authorizerType, authorizerType, stringType, stringType).does(withServiceAccount)),
		fn("resource", method("groupcheck_resource", resourceCheckType, groupCheckType, stringType).does(asking(kindResourceCheck, "resource must not be empty", func(i *Inquiry, s string) { i.Resource = s }))),
		fn("subresource", method("resourcecheck_subresource", resourceCheckType, resourceCheckType, stringType).does(asking(kindResourceCheck, "", func(i *Inquiry, s string) { i.Subresource = s }))),
		fn("namespace", method("resourcecheck_namespace", resourceCheckType, resourceCheckType, stringType).does(asking(kindResourceCheck, "", func(i *Inquiry, s string) { i.Namespace = s }))),
		fn("name", method("resourcecheck_name", resourceCheckType, resourceCheckType, stringType).does(asking(kindResourceCheck, "", func(i *Inquiry, s string) { i.Name = s }))),
		fn("check",
			method("pathcheck_check", decisionType, pathCheckType, stringType).does(decide),
			method("resourcecheck_check", decisionType, resourceCheckType, stringType).does(decide)).costing(costs{
			static: func(*estimate.Call) estimate.Result { return estimate.Costing(350_000) }, charge: deciding, shared: deciding,
		}),
		fn("errored", method("decision_errored", boolType, decisionType).does(func(*frame, []value) value { return no }).from(since.AuthorizerErrors)),
		fn("error", method("decision_error", stringType, decisionType).does(func(*frame, []value) value { return textValue("") }).from(since.AuthorizerErrors)),
		fn("allowed", method("decision_allowed", boolType, decisionType).does(func(_ *frame, a []value) value { return boolean(a[0].ref.(*decision).allowed) })),
		fn("reason", method("decision_reason", stringType, decisionType).does(func(f *frame, a []value) value { return f.text(a[0].ref.(*decision).reason) })),
	}
}

func authorizationSelectors() []*Function {
	// A text is parsed, then compared with as many requirements as fit into it.
	selecting := costs{
		static: func(c *estimate.Call) estimate.Result {
			s := c.Size(&c.Args[0])
			return estimate.Costing(estimate.Plus(s.Cost(estimate.PerByte), estimate.Plus(estimate.Times(s.Cost(0.5), 50), 10)))
		},
		charge: func(_ *frame, a []value, _ value) int64 {
			n := a[1].size(false)
			return 10 + c1(n) + 50*int64(math.Ceil(float64(n)*0.5))
		},
	}
	return []*Function{
		fn("fieldSelector", method("authorizer_fieldselector", resourceCheckType, resourceCheckType, stringType).does(identity)).costing(selecting),
		fn("labelSelector", method("authorizer_labelselector", resourceCheckType, resourceCheckType, stringType).does(identity)).costing(selecting),
	}
}

// AuthorizerType returns the type of authorizers.
func AuthorizerType() *types.Type { return authorizerType }
