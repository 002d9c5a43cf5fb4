package server

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/query"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/server/internal/rbac"
	"github.com/crdkit/crdkit/unstructured"
)

// This file answers reviews of access and of tokens, which are not stored. The stored roles and the functions in the
// options decide.

// An accessSpec is the spec of the reviews of access. That of a SelfSubjectAccessReview has only the first two fields.
type accessSpec struct {
	Resource    *resourceAccess     `json:"resourceAttributes,omitempty"`
	NonResource *nonResourceAccess  `json:"nonResourceAttributes,omitempty"`
	User        string              `json:"user,omitempty"`
	Groups      []string            `json:"groups,omitempty"`
	Extra       map[string][]string `json:"extra,omitempty"`
	UID         string              `json:"uid,omitempty"`
}

type resourceAccess struct {
	Namespace   string           `json:"namespace,omitempty"`
	Verb        string           `json:"verb,omitempty"`
	Group       string           `json:"group,omitempty"`
	Version     string           `json:"version,omitempty"`
	Resource    string           `json:"resource,omitempty"`
	Subresource string           `json:"subresource,omitempty"`
	Name        string           `json:"name,omitempty"`
	Fields      *reviewSelection `json:"fieldSelector,omitempty"`
	Labels      *reviewSelection `json:"labelSelector,omitempty"`
}

type nonResourceAccess struct {
	Path string `json:"path,omitempty"`
	Verb string `json:"verb,omitempty"`
}

// A reviewSelection is a selector as text or as a list.
type reviewSelection struct {
	Raw          string `json:"rawSelector,omitempty"`
	Requirements []struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values,omitempty"`
	} `json:"requirements,omitempty"`
}

type tokenSpec struct {
	Token     string   `json:"token,omitempty"`
	Audiences []string `json:"audiences,omitempty"`
}

// selfAccess is the kind of a review of the user's own access.
const selfAccess = "SelfSubjectAccessReview"

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
	if !q.accepted(false) {
		return nil
	}
	o, refused := q.writing(createOptions)
	if refused != nil {
		return refused
	}
	obj, refused := q.decodedAs(o, of.Type(), of.Group, "v1", of.Kind)
	if refused != nil {
		return refused
	}
	meta := mapAt(obj, "metadata")
	removeAll(meta, serverMetadata)
	delete(meta, "managedFields")
	if of.Namespaced {
		if own := text(meta, "namespace"); own != "" && own != q.namespace {
			return refusal.OtherNamespace()
		}
		meta["namespace"] = q.namespace
	} else {
		delete(meta, "namespace")
	}
	answer, refused := q.reviewAnswer(of, obj)
	if refused != nil {
		return refused
	}
	answer["apiVersion"], answer["kind"] = of.Group+"/v1", of.Kind
	q.send(http.StatusCreated, answer)
	return nil
}

// reviewAnswer returns the answer to a review, without its type.
func (q *request) reviewAnswer(of catalog.Review, obj map[string]any) (map[string]any, *field.Status) {
	sent, meta := mapAt(obj, "spec"), mapAt(obj, "metadata")
	answer := map[string]any{"metadata": map[string]any{}}
	var refused *field.Status
	var err error
	switch of.Kind {
	case "SelfSubjectReview":
		answer["metadata"] = map[string]any{"creationTimestamp": q.s.timestamp()}
		answer["status"] = map[string]any{"userInfo": q.user.info()}
	case "SelfSubjectRulesReview":
		answer["spec"] = map[string]any{}
		answer["status"], refused = q.rulesStatus(text(sent, "namespace"))
	case "TokenReview":
		var spec tokenSpec
		if err = convert(sent, &spec, answer); err == nil {
			answer["metadata"] = meta
			answer["status"], refused = q.tokenStatus(&spec)
		}
	default:
		if of.Kind == selfAccess {
			removeAll(sent, []string{"user", "groups", "extra", "uid"})
		}
		var spec accessSpec
		if err = convert(sent, &spec, answer); err == nil {
			answer["metadata"] = meta
			answer["status"], refused = q.accessStatus(of, &spec, meta)
		}
	}
	if err != nil {
		return nil, refusal.Unhandled(of.Kind, "v1", of.Kind, err)
	}
	return answer, refused
}

// convert decodes a spec into a struct, and sets what that has as the spec of an answer.
func convert(sent map[string]any, spec any, answer map[string]any) error {
	err := unstructured.ToStruct(sent, spec)
	if err == nil {
		answer["spec"], err = unstructured.FromStruct(spec)
	}
	return err
}

// accessStatus returns the status of a review of access.
func (q *request) accessStatus(of catalog.Review, spec *accessSpec, meta map[string]any) (map[string]any, *field.Status) {
	if errs := q.accessErrors(of, spec, meta); len(errs) > 0 {
		return nil, errs.Status(of.Group, "", "")
	}
	user := q.user
	if of.Kind != selfAccess {
		user = User{Name: spec.User, UID: spec.UID, Groups: spec.Groups, Extra: spec.Extra}
	}
	var info RequestInfo
	if r := spec.Resource; r != nil {
		info = RequestInfo{
			Verb: r.Verb, Group: r.Group, Version: cmp.Or(r.Version, "*"), Resource: r.Resource, Subresource: r.Subresource,
			Namespace: r.Namespace, Name: r.Name,
		}
	} else {
		info.Verb, info.Path = spec.NonResource.Verb, spec.NonResource.Path
	}
	allowed, reason := q.s.permits(q.r.Context(), user, info)
	status := map[string]any{"allowed": allowed}
	if reason != "" {
		status["reason"] = reason
	}
	if problem := spec.Resource.unusedSelectors(); problem != "" {
		status["evaluationError"] = problem
	}
	return status, nil
}

// accessErrors returns the errors of a review of access.
func (q *request) accessErrors(of catalog.Review, spec *accessSpec, meta map[string]any) field.List {
	var errs refusal.List
	at := field.NewPath("spec")
	resources := at.Child("resourceAttributes")
	var path any // as a server prints the struct, which has no tags
	if n := spec.NonResource; n != nil {
		path = struct{ Path, Verb string }{n.Path, n.Verb}
	}
	if (spec.Resource == nil) == (spec.NonResource == nil) {
		errs.Add(field.Invalid(at, path, "exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	if of.Kind != selfAccess && spec.User == "" && len(spec.Groups) == 0 {
		errs.Add(field.Invalid(at.Child("user"), "", "at least one of user or group must be specified"))
	}
	if r := spec.Resource; r != nil {
		r.Fields.check(&errs, resources.Child("fieldSelector"), false)
		r.Labels.check(&errs, resources.Child("labelSelector"), true)
	}
	// A server prints the metadata with managed fields.
	switch {
	case !of.Namespaced && len(meta) > 0:
		errs.Add(field.Invalid(field.NewPath("metadata"), meta, "must be empty"))
	case of.Namespaced && len(meta) > 1:
		errs.Add(field.Invalid(field.NewPath("metadata"), meta, "must be empty except for namespace"))
	}
	if r := spec.Resource; of.Namespaced && r != nil && r.Namespace != q.namespace {
		errs.Add(field.Invalid(resources.Child("namespace"), r.Namespace, "must match metadata.namespace"))
	}
	if of.Namespaced && spec.NonResource != nil {
		errs.Add(field.Invalid(at.Child("nonResourceAttributes"), path, "disallowed on this kind of request"))
	}
	return errs.Errors()
}

// check adds the errors of a selector. Unknown operators are for newer authorizers.
func (s *reviewSelection) check(errs *refusal.List, at *field.Path, labels bool) {
	if s == nil {
		return
	}
	list := at.Child("requirements")
	switch {
	case s.Raw != "" && len(s.Requirements) > 0:
		errs.Add(field.Invalid(at.Child("rawSelector"), s.Raw, "may not specified at the same time as requirements"))
	case s.Raw == "" && len(s.Requirements) == 0:
		errs.Add(field.Required(list, fmt.Sprintf("when %s is specified, requirements or rawSelector is required", at)))
	}
	for i, r := range s.Requirements {
		at := list.Index(i)
		if !labels && r.Key == "" {
			errs.Add(field.Required(at.Child("key"), "must be specified"))
		}
		hooks.OperatorErrors(errs, r.Operator, r.Values, at)
		if labels {
			hooks.LabelErrors(errs, r.Key, r.Values, at)
		}
	}
}

// unusedSelectors says which selectors an authorizer does not see, or not whole, because they cannot be parsed.
func (r *resourceAccess) unusedSelectors() string {
	if r == nil {
		return ""
	}
	var problems []string
	if s := r.Fields; s != nil {
		problem := s.unused(query.CheckFields, func(operator string, values []string) bool {
			return (operator == "In" || operator == "NotIn") && len(values) == 1
		})
		if problem != "" {
			problems = append(problems, "spec.resourceAttributes.fieldSelector "+problem)
		}
	}
	if s := r.Labels; s != nil {
		parse := func(text string) error { _, err := query.ParseLabels(text); return err }
		problem := s.unused(parse, func(operator string, _ []string) bool {
			_, known := query.Requirement("", operator, nil)
			return known
		})
		if problem != "" {
			problems = append(problems, "spec.resourceAttributes.labelSelector "+problem)
		}
	}
	return strings.Join(problems, "; ")
}

// unused says whether a selector is ignored. used says whether a requirement is not.
func (s *reviewSelection) unused(parse func(text string) error, used func(operator string, values []string) bool) string {
	ignored := 0
	for _, r := range s.Requirements {
		if !used(r.Operator, r.Values) {
			ignored++
		}
	}
	switch {
	case s.Raw != "" && parse(s.Raw) != nil, ignored > 0 && ignored == len(s.Requirements):
		return "ignored due to parse error"
	case ignored > 0:
		return "partially ignored due to parse error"
	}
	return ""
}

// tokenStatus says whose token it is: it asks as for a request with the token, or for the audiences of the review.
func (q *request) tokenStatus(spec *tokenSpec) (map[string]any, *field.Status) {
	if spec.Token == "" {
		return nil, refusal.BadRequest("token is required for TokenReview in authentication")
	}
	asked := spec.Audiences
	if len(asked) == 0 {
		asked = []string{issuer}
	}
	user, audiences, problem, ok := q.s.accountOf(q.r.Context(), spec.Token, asked)
	if !ok && !strings.HasPrefix(spec.Token, tokenHeader) && slices.Contains(asked, issuer) { // the audience of all other tokens
		r := &http.Request{Method: http.MethodGet, URL: q.r.URL, Header: http.Header{"Authorization": {"Bearer " + spec.Token}}}
		user, ok = q.s.authenticate(r.WithContext(q.r.Context()), false)
		audiences = []string{issuer}
	}
	if !ok {
		const invalid = "invalid bearer token"
		if problem != "" {
			problem = "[" + invalid + ", " + problem + "]"
		}
		return map[string]any{"user": map[string]any{}, "error": cmp.Or(problem, invalid)}, nil
	}
	return map[string]any{"authenticated": true, "user": user.info(), "audiences": anys(audiences)}, nil
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
