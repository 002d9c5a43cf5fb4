package catalog

import (
	"strings"

	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/protocol"
)

// The groups of reviews, which are answered and not stored.
const (
	AuthorizationGroup  = "authorization.k8s.io"
	AuthenticationGroup = "authentication.k8s.io"
)

// A Review is a kind that is answered and not stored.
type Review struct {
	Group, Plural, Kind string
	Namespaced          bool
}

// Type returns the name of the type in [Types].
func (r Review) Type() string {
	name, _, _ := strings.Cut(r.Group, ".")
	return name + ".v1." + r.Kind
}

// TokenRequestType is the type of a request for a token of a ServiceAccount.
const TokenRequestType = "authentication.v1.TokenRequest"

// Resource returns the name of the resource in error messages.
func (r Review) Resource() resource.GroupResource {
	return resource.GroupResource{Group: r.Group, Resource: r.Plural}
}

// Reviews has the reviews, all of version v1, in the order of discovery.
var Reviews = []Review{
	{AuthenticationGroup, "selfsubjectreviews", "SelfSubjectReview", false},
	{AuthenticationGroup, "tokenreviews", "TokenReview", false},
	{AuthorizationGroup, "localsubjectaccessreviews", "LocalSubjectAccessReview", true},
	{AuthorizationGroup, "selfsubjectaccessreviews", "SelfSubjectAccessReview", false},
	{AuthorizationGroup, "selfsubjectrulesreviews", "SelfSubjectRulesReview", false},
	{AuthorizationGroup, "subjectaccessreviews", "SubjectAccessReview", false},
}

// reviewLists returns the discovery documents of the reviews.
func reviewLists() (lists []protocol.APIResourceList) {
	for _, r := range Reviews {
		version := r.Group + "/v1"
		if n := len(lists); n == 0 || lists[n-1].GroupVersion != version {
			lists = append(lists, protocol.APIResourceList{Kind: "APIResourceList", APIVersion: "v1", GroupVersion: version})
		}
		l := &lists[len(lists)-1]
		l.Resources = append(l.Resources, protocol.APIResource{
			Name: r.Plural, SingularName: strings.ToLower(r.Kind), Namespaced: r.Namespaced, Kind: r.Kind, Verbs: []string{"create"},
		})
	}
	return lists
}

// bindings is the older path of pods/binding.
var bindings = protocol.APIResource{Name: "bindings", SingularName: "binding", Namespaced: true, Kind: "Binding", Verbs: []string{"create"}}

// subresources are those of built-in kinds besides status and scale, by type.
var subresources = map[string][]protocol.APIResource{
	"core.v1.Pod": {
		{Name: "pods/attach", Namespaced: true, Kind: "PodAttachOptions", Verbs: []string{"create", "get"}},
		{Name: "pods/binding", Namespaced: true, Kind: "Binding", Verbs: []string{"create"}},
		{Name: "pods/ephemeralcontainers", Namespaced: true, Kind: "Pod", Verbs: []string{"get", "patch", "update"}},
		{Name: "pods/eviction", Namespaced: true, Group: "policy", Version: "v1", Kind: "Eviction", Verbs: []string{"create"}},
		{Name: "pods/exec", Namespaced: true, Kind: "PodExecOptions", Verbs: []string{"create", "get"}},
		{Name: "pods/log", Namespaced: true, Kind: "Pod", Verbs: []string{"get"}},
		{Name: "pods/portforward", Namespaced: true, Kind: "PodPortForwardOptions", Verbs: []string{"create", "get"}},
		{Name: "pods/proxy", Namespaced: true, Kind: "PodProxyOptions", Verbs: []string{"create", "delete", "get", "patch", "update"}},
		{Name: "pods/resize", Namespaced: true, Kind: "Pod", Verbs: []string{"get", "patch", "update"}},
	},
	AccountType: {
		{Name: "serviceaccounts/token", Namespaced: true, Group: AuthenticationGroup, Version: "v1", Kind: "TokenRequest", Verbs: []string{"create"}},
	},
	CertificateType: {
		{Name: "certificatesigningrequests/approval", Kind: "CertificateSigningRequest", Verbs: []string{"get", "patch", "update"}},
	},
}
