package eval

import (
	"math"

	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/since"
)

// The functions of authorizers. A rule has no authorizer, so these only determine the text of an invalid call, and its
// estimated cost (CEN-034).

var (
	authorizerType    = types.NewObjectType("kubernetes.authorization.Authorizer")
	pathCheckType     = types.NewObjectType("kubernetes.authorization.PathCheck")
	groupCheckType    = types.NewObjectType("kubernetes.authorization.GroupCheck")
	resourceCheckType = types.NewObjectType("kubernetes.authorization.ResourceCheck")
	decisionType      = types.NewObjectType("kubernetes.authorization.Decision")
)

func authorization() []*Function {
	deciding := func(_ *frame, _ []value, _ value) int64 { return 350_000 }
	return []*Function{
		fn("path", method("authorizer_path", pathCheckType, authorizerType, stringType)),
		fn("group", method("authorizer_group", groupCheckType, authorizerType, stringType)),
		fn("serviceAccount", method("authorizer_serviceaccount", authorizerType, authorizerType, stringType, stringType)),
		fn("resource", method("groupcheck_resource", resourceCheckType, groupCheckType, stringType)),
		fn("subresource", method("resourcecheck_subresource", resourceCheckType, resourceCheckType, stringType)),
		fn("namespace", method("resourcecheck_namespace", resourceCheckType, resourceCheckType, stringType)),
		fn("name", method("resourcecheck_name", resourceCheckType, resourceCheckType, stringType)),
		fn("check",
			method("pathcheck_check", decisionType, pathCheckType, stringType),
			method("resourcecheck_check", decisionType, resourceCheckType, stringType)).costing(costs{
			static: func(*estimate.Call) estimate.Result { return estimate.Costing(350_000) }, charge: deciding, shared: deciding,
		}),
		fn("errored", method("decision_errored", boolType, decisionType).from(since.AuthorizerErrors)),
		fn("error", method("decision_error", stringType, decisionType).from(since.AuthorizerErrors)),
		fn("allowed", method("decision_allowed", boolType, decisionType)),
		fn("reason", method("decision_reason", stringType, decisionType)),
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
		fn("fieldSelector", method("authorizer_fieldselector", resourceCheckType, resourceCheckType, stringType)).costing(selecting),
		fn("labelSelector", method("authorizer_labelselector", resourceCheckType, resourceCheckType, stringType)).costing(selecting),
	}
}

// AuthorizerType returns the type of authorizers.
func AuthorizerType() *types.Type { return authorizerType }
