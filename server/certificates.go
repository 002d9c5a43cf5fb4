package server

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/server/internal/rbac"
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

// apiClientSigner signs certificates for clients of the server.
const apiClientSigner = "kubernetes.io/kube-apiserver-client"

// checkSigner refuses the approval or the certificate of a user who has no right to it for the signer, and a request for
// a certificate of a superuser.
func (q *request) checkSigner(operation string, obj, stored map[string]any) *field.Status {
	if q.kind.Type != catalog.CertificateType {
		return nil
	}
	signer := text(mapAt(stored, "spec"), "signerName")
	switch {
	case operation == hooks.Create && text(mapAt(obj, "spec"), "signerName") == apiClientSigner:
		organizations, err := organizationsOf(text(mapAt(obj, "spec"), "request"))
		if err != nil {
			return q.forbid(obj, "failed to parse CSR: %v", err)
		}
		if slices.Contains(organizations, rbac.Superusers) {
			return q.forbid(obj, "use of %s signer with system:masters group is not allowed", apiClientSigner)
		}
	case operation != hooks.Update:
	case q.sub == approvalSubresource:
		if !q.mayUseSigner("approve", signer) {
			return q.forbid(obj, "user not permitted to approve requests with signerName %q", signer)
		}
	case q.sub == "status":
		is, was := mapAt(obj, "status"), mapAt(stored, "status")
		changed := !jsonval.Equal(is["certificate"], was["certificate"]) || !jsonval.Equal(is["conditions"], was["conditions"])
		if changed && !q.mayUseSigner("sign", signer) {
			return q.forbid(obj, "user not permitted to sign requests with signerName %q", signer)
		}
	}
	return nil
}

// mayUseSigner reports whether the user has a right for a signer, or for all signers of its domain.
func (q *request) mayUseSigner(verb, signer string) bool {
	domain, _, _ := strings.Cut(signer, "/")
	return slices.ContainsFunc([]string{signer, domain + "/*"}, func(name string) bool {
		allowed, _ := q.s.permits(q.r.Context(), q.user, RequestInfo{Verb: verb, Group: q.kind.Group, Version: "*", Resource: "signers", Name: name})
		return allowed
	})
}

// organizationsOf returns the organizations in the subject of a request for a certificate, PEM in base64.
func organizationsOf(request string) ([]string, error) {
	text, err := base64.StdEncoding.DecodeString(request)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	parsed, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, err
	}
	return parsed.Subject.Organization, nil
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
