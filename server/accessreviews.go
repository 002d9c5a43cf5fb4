package server

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/rbac"
)

// This file answers reviews of access and of tokens, which are not stored. The stored roles and the functions in the
// options decide.

// A review is the part of the reviews that this server reads.
type review struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Spec       reviewSpec `json:"spec"`
}

type reviewSpec struct {
	Resource *struct {
		Namespace   string `json:"namespace"`
		Verb        string `json:"verb"`
		Group       string `json:"group"`
		Version     string `json:"version"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Name        string `json:"name"`
	} `json:"resourceAttributes"`
	NonResource *struct {
		Path string `json:"path"`
		Verb string `json:"verb"`
	} `json:"nonResourceAttributes"`

	User   string              `json:"user"`
	UID    string              `json:"uid"`
	Groups []string            `json:"groups"`
	Extra  map[string][]string `json:"extra"`

	Namespace string   `json:"namespace"`
	Token     string   `json:"token"`
	Audiences []string `json:"audiences"`
}

// review answers the request if it is for a review, and reports whether it is.
func (q *request) review(group, version string, path []string) bool {
	if q.s.options.CustomOnly || version != "v1" || len(path) != 1 {
		return false
	}
	for _, of := range catalog.Reviews {
		if of.Group != group || of.Plural != path[0] || of.Namespaced != (q.namespace != "") {
			continue
		}
		if refused := q.answerReview(of); refused != nil {
			q.refuse(refused)
		}
		return true
	}
	return false
}

func (q *request) answerReview(of catalog.Review) *field.Status {
	if q.r.Method != http.MethodPost {
		return q.noMethod()
	}
	body, refused := q.body()
	if refused != nil {
		return refused
	}
	obj, refused := q.decoded(body, of.Kind, "")
	if refused != nil {
		return refused
	}
	text, _ := json.Marshal(obj) // a decoded object can be encoded
	var r review
	if err := json.Unmarshal(text, &r); err != nil {
		return refusal.BadRequest(of.Kind + ` in version "v1" cannot be handled as a ` + of.Kind + ": " + err.Error())
	}
	if r.Kind != "" && r.Kind != of.Kind {
		return refusal.BadRequest("the object provided is unrecognized (must be of type " + of.Kind + ")")
	}
	status, refused := q.reviewStatus(of, &r.Spec)
	if refused != nil {
		return refused
	}
	obj["apiVersion"], obj["kind"], obj["status"] = of.Group+"/v1", of.Kind, status
	if of.Kind == "SelfSubjectRulesReview" {
		obj["spec"] = map[string]any{} // a server does not keep it
	}
	if obj["metadata"] == nil {
		obj["metadata"] = map[string]any{}
	}
	if of.Kind == "SelfSubjectReview" {
		obj["metadata"] = map[string]any{"creationTimestamp": q.s.timestamp()}
	}
	q.send(http.StatusCreated, obj)
	return nil
}

// reviewStatus returns the answer of a review.
func (q *request) reviewStatus(of catalog.Review, spec *reviewSpec) (map[string]any, *field.Status) {
	switch of.Kind {
	case "SelfSubjectReview":
		return map[string]any{"userInfo": q.user.info()}, nil
	case "TokenReview":
		return q.tokenStatus(spec)
	case "SelfSubjectRulesReview":
		return q.rulesStatus(spec.Namespace)
	}
	user, at := q.user, field.NewPath("spec")
	var errs field.List
	if of.Kind != "SelfSubjectAccessReview" {
		user = User{Name: spec.User, UID: spec.UID, Groups: spec.Groups, Extra: spec.Extra}
		if spec.User == "" && len(spec.Groups) == 0 {
			errs = append(errs, field.Invalid(at.Child("user"), spec.User, "at least one of user or group must be specified"))
		}
	}
	switch {
	case spec.Resource != nil && spec.NonResource != nil:
		errs = append(errs, field.Invalid(at.Child("nonResourceAttributes"), spec.NonResource, "cannot be specified in combination with resourceAttributes"))
	case spec.Resource == nil && spec.NonResource == nil:
		errs = append(errs, field.Invalid(at.Child("resourceAttributes"), nil, "exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	case of.Namespaced && spec.NonResource != nil:
		errs = append(errs, field.Invalid(at.Child("nonResourceAttributes"), spec.NonResource, "disallowed on this kind of request"))
	}
	if len(errs) > 0 {
		return nil, errs.Status(of.Group, of.Kind, "")
	}
	info := RequestInfo{}
	if r := spec.Resource; r != nil {
		info = RequestInfo{Verb: r.Verb, Group: r.Group, Version: r.Version, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name}
	} else {
		info.Verb, info.Path = spec.NonResource.Verb, spec.NonResource.Path
	}
	if of.Namespaced && info.Namespace != q.namespace {
		return nil, refusal.BadRequest("spec.resourceAttributes.namespace must match namespace: " + q.namespace)
	}
	allowed, reason := q.s.permits(q.r.Context(), user, info)
	status := map[string]any{"allowed": allowed}
	if reason != "" {
		status["reason"] = reason
	}
	return status, nil
}

// tokenStatus says whose token it is: it asks as for a request with the token, or for the audiences of the review.
func (q *request) tokenStatus(spec *reviewSpec) (map[string]any, *field.Status) {
	if spec.Token == "" {
		return nil, refusal.BadRequest("token is required for TokenReview in authentication")
	}
	audiences := spec.Audiences
	if len(audiences) == 0 {
		audiences = []string{issuer}
	}
	user, audiences, problem, ok := q.s.accountOf(q.r.Context(), spec.Token, audiences)
	if !ok && !strings.HasPrefix(spec.Token, tokenHeader) {
		r := &http.Request{Method: http.MethodGet, URL: q.r.URL, Header: http.Header{"Authorization": {"Bearer " + spec.Token}}}
		user, ok = q.s.authenticate(r.WithContext(q.r.Context()), false)
		audiences = spec.Audiences
	}
	if !ok {
		const invalid = "invalid bearer token"
		if problem != "" {
			problem = "[" + invalid + ", " + problem + "]"
		}
		return map[string]any{"user": map[string]any{}, "error": cmp.Or(problem, invalid)}, nil
	}
	status := map[string]any{"authenticated": true, "user": user.info()}
	if len(audiences) > 0 {
		status["audiences"] = anys(audiences)
	}
	return status, nil
}

// maxRules is the length of the texts of rules in an answer, in bytes. A server has no limit.
const maxRules = 4 << 20

// rulesStatus returns the rules of the user in a namespace. Those of a function are not known.
func (q *request) rulesStatus(namespace string) (map[string]any, *field.Status) {
	if namespace == "" {
		return nil, refusal.BadRequest("no namespace on request")
	}
	resources, urls, problem := []any{}, []any{}, ""
	var rules []rbac.Rule
	switch roles := q.s.roles; {
	case roles != nil:
		var errs []error
		if rules, errs = roles.Held(subjectOf(q.user), namespace); len(errs) > 0 {
			problem = refusal.Aggregate(errs)
		}
	case q.s.options.Authorize == nil:
		rules = rbac.Everything
	}
	incomplete := q.s.options.Authorize != nil
	if incomplete {
		problem = strings.TrimPrefix(problem+", the rules of this server cannot all be listed", ", ")
	}
	size := 0
	for _, r := range rules {
		if size += r.Size(); size > maxRules {
			incomplete, problem = true, strings.TrimPrefix(problem+", there are more rules than an answer has", ", ")
			break
		}
		if len(r.Resources) > 0 {
			resources = append(resources, present(map[string][]string{
				"verbs": r.Verbs, "apiGroups": r.APIGroups, "resources": r.Resources, "resourceNames": r.ResourceNames,
			}))
		}
		if len(r.NonResourceURLs) > 0 {
			urls = append(urls, present(map[string][]string{"verbs": r.Verbs, "nonResourceURLs": r.NonResourceURLs}))
		}
	}
	status := map[string]any{"resourceRules": resources, "nonResourceRules": urls, "incomplete": incomplete}
	if problem != "" {
		status["evaluationError"] = problem
	}
	return status, nil
}

// present returns the lists that are not empty, by name.
func present(lists map[string][]string) map[string]any {
	out := map[string]any{}
	for name, texts := range lists {
		if len(texts) > 0 {
			out[name] = anys(texts)
		}
	}
	return out
}
