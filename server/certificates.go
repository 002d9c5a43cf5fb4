package server

import (
	"fmt"
	"maps"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
)

// This file handles CertificateSigningRequests. A new one has the user who sends it, and its spec never changes. The
// subresource approval changes the conditions, and status everything in the status but whether the request was
// approved. Nobody signs certificates.

const (
	approvalSubresource = "approval"
	certificateApproved = "Approved"
	certificateDenied   = "Denied"
	certificateFailed   = "Failed"
)

// prepareCertificate completes and checks a CertificateSigningRequest.
func (q *request) prepareCertificate(r resource.Result, stored map[string]any) resource.Result {
	switch {
	case q.kind.Type != catalog.CertificateType || r.Object == nil || len(r.Errors) > 0:
		return r
	case stored == nil:
		r.Object = withIn(r.Object, func(spec map[string]any) {
			for _, name := range []string{"username", "uid", "groups", "extra"} {
				delete(spec, name)
			}
			maps.Copy(spec, q.user.info())
		}, "spec")
		return r
	case q.sub == "":
		r.Object = withMember(r.Object, []string{"spec"}, stored["spec"])
		return r
	}
	before := mapAt(stored, "status")
	status := maps.Clone(mapAt(r.Object, "status"))
	if status == nil {
		status = map[string]any{}
	}
	conditions := timedConditions(listAt(status, "conditions"), listAt(before, "conditions"), q.s.timestamp())
	if q.sub == approvalSubresource {
		if status = maps.Clone(before); status == nil {
			status = map[string]any{}
		}
	}
	if delete(status, "conditions"); len(conditions) > 0 {
		status["conditions"] = conditions
	}
	r.Object = maps.Clone(r.Object)
	r.Object["status"] = status
	r.Errors = q.checkCertificate(status, before)
	return r
}

// timedConditions returns conditions with their times. It does not modify them.
func timedConditions(conditions, before []any, now string) []any {
	out := make([]any, 0, len(conditions))
	for _, c := range conditions {
		m, ok := c.(map[string]any)
		if !ok {
			return conditions // the schema refuses them
		}
		m = maps.Clone(m)
		if text(m, "lastUpdateTime") == "" {
			m["lastUpdateTime"] = now
		}
		if text(m, "lastTransitionTime") == "" {
			m["lastTransitionTime"] = now
			for _, old := range withType(before, m["type"]) {
				if since := text(old, "lastTransitionTime"); old["status"] == m["status"] && since != "" {
					m["lastTransitionTime"] = since
				}
			}
		}
		out = append(out, m)
	}
	return out
}

// withType returns the conditions of a type.
func withType(conditions []any, of any) (out []map[string]any) {
	for _, c := range conditions {
		if m, _ := c.(map[string]any); m != nil && m["type"] == of {
			out = append(out, m)
		}
	}
	return out
}

// decidedTwice returns Approved or Denied if it follows the other one in conditions, otherwise "".
func decidedTwice(conditions []any) string {
	first := ""
	for _, c := range conditions {
		m, _ := c.(map[string]any)
		of := text(m, "type")
		switch {
		case of != certificateApproved && of != certificateDenied:
		case first == "":
			first = of
		case of != first:
			return of
		}
	}
	return ""
}

// checkCertificate returns the errors in a new status.
func (q *request) checkCertificate(status, before map[string]any) (errs field.List) {
	path := field.NewPath("status")
	is, was := listAt(status, "conditions"), listAt(before, "conditions")
	forbid := func(what, of string) {
		why := fmt.Sprintf("updates may not %s a condition of type %q", what, of)
		errs = append(errs, field.Forbidden(path.Child("conditions"), why))
	}
	if second := decidedTwice(is); second != "" && decidedTwice(was) == "" {
		const why = "Approved and Denied conditions are mutually exclusive"
		errs = append(errs, field.Invalid(path.Child("conditions"), second, why))
	}
	for _, of := range []string{certificateApproved, certificateDenied, certificateFailed} {
		if len(withType(is, of)) < len(withType(was, of)) {
			forbid("remove", of)
		}
	}
	if q.sub == approvalSubresource {
		return errs
	}
	for _, of := range []string{certificateApproved, certificateDenied} {
		if len(withType(is, of)) > len(withType(was, of)) {
			forbid("add", of)
		}
	}
	if old := before["certificate"]; old != nil && !jsonval.Equal(status["certificate"], old) {
		errs = append(errs, field.Forbidden(path.Child("certificate"), "updates may not modify existing certificate content"))
	}
	return errs
}
