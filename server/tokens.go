package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has the tokens of ServiceAccounts: JSON Web Tokens (RFC 7519), all of one issuer, key and algorithm. What
// another server has signed, with any algorithm, is no token here.

// issuer is whom the tokens name, and the audience of tokens for this server.
const issuer = "https://kubernetes.default.svc.cluster.local"

// A signer makes tokens, and checks them. It is safe for concurrent use.
type signer struct {
	key func() *ecdsa.PrivateKey // made when it is needed
}

func newSigner() signer {
	return signer{key: sync.OnceValue(func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			panic(err) // crypto/rand never fails
		}
		return key
	})}
}

// tokenHeader begins each token: the algorithm is ECDSA with P-256 and SHA-256.
var tokenHeader = base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"ES256"}`)) + "."

// half is the length of each of the two numbers in a signature, in bytes.
const half = 32

// sign returns the token with these claims.
func (s signer) sign(claims tokenClaims) (string, error) {
	text, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signed := tokenHeader + base64.RawURLEncoding.EncodeToString(text)
	sum := sha256.Sum256([]byte(signed))
	x, y, err := ecdsa.Sign(rand.Reader, s.key(), sum[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 2*half)
	x.FillBytes(signature[:half])
	y.FillBytes(signature[half:])
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// claims returns the claims of a token that the signer has made.
func (s signer) claims(token string) (claims tokenClaims, ok bool) {
	at := strings.LastIndexByte(token, '.')
	if at < len(tokenHeader) || !strings.HasPrefix(token, tokenHeader) {
		return claims, false
	}
	signature, err := base64.RawURLEncoding.DecodeString(token[at+1:])
	if err != nil || len(signature) != 2*half {
		return claims, false
	}
	sum := sha256.Sum256([]byte(token[:at]))
	if !ecdsa.Verify(&s.key().PublicKey, sum[:], new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:])) {
		return claims, false
	}
	text, err := base64.RawURLEncoding.DecodeString(token[len(tokenHeader):at])
	return claims, err == nil && json.Unmarshal(text, &claims) == nil
}

// tokenClaims says whose a token is, and for how long. Times are seconds since 1970.
type tokenClaims struct {
	Audiences []string      `json:"aud"`
	Expires   int64         `json:"exp"`
	Issued    int64         `json:"iat"`
	Issuer    string        `json:"iss"`
	ID        string        `json:"jti"`
	Bound     boundToObject `json:"kubernetes.io"`
	NotBefore int64         `json:"nbf"`
	Subject   string        `json:"sub"`
}

// boundToObject has the ServiceAccount of a token, and the object that must exist for it to be valid.
type boundToObject struct {
	Namespace string    `json:"namespace"`
	Node      *boundRef `json:"node,omitempty"` // that of the Pod, or the object itself
	Pod       *boundRef `json:"pod,omitempty"`
	Secret    *boundRef `json:"secret,omitempty"`
	Account   boundRef  `json:"serviceaccount"`
}

type boundRef struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
}

// leeway is how much clocks may differ, and how long tokens stay valid after the deletion of their objects has begun.
const leeway = time.Minute

// accountOf returns the user of a ServiceAccount's token, and those of its audiences that are among the given ones. It
// reports false if that is no valid token. The text says which audiences the token has, if none matches.
func (s *Server) accountOf(ctx context.Context, token string, audiences []string) (user User, matching []string, problem string, ok bool) {
	claims, ok := s.tokens.claims(token)
	if !ok {
		return user, nil, "", false
	}
	for _, audience := range claims.Audiences {
		if slices.Contains(audiences, audience) {
			matching = append(matching, audience)
		}
	}
	if len(matching) == 0 {
		return user, nil, fmt.Sprintf("token audiences %q is invalid for the target audiences %q", claims.Audiences, audiences), false
	}
	switch now := s.now(); {
	case now.Add(-leeway).Unix() > claims.Expires:
		return user, nil, "service account token has expired", false
	case now.Add(leeway).Unix() < claims.NotBefore:
		return user, nil, "service account token is not valid yet", false
	}
	b := claims.Bound
	alone := b.Node // a Node that is not that of a Pod
	if b.Pod != nil {
		alone = nil
	}
	for _, of := range []struct {
		plural string
		ref    *boundRef
	}{{"serviceaccounts", &b.Account}, {"secrets", b.Secret}, {catalog.Pods, b.Pod}, {"nodes", alone}} {
		if of.ref != nil && !s.exists(ctx, of.plural, b.Namespace, *of.ref) {
			return user, nil, "service account token has been invalidated", false
		}
	}
	user = serviceAccount(b.Namespace, b.Account.Name)
	user.UID, user.Groups = b.Account.UID, append(user.Groups, authenticatedGroup)
	user.Extra = map[string][]string{extraPrefix + "credential-id": {"JTI=" + claims.ID}}
	for name, ref := range map[string]*boundRef{"pod": b.Pod, "node": b.Node} {
		if ref != nil {
			user.Extra[extraPrefix+name+"-name"] = []string{ref.Name}
			if ref.UID != "" {
				user.Extra[extraPrefix+name+"-uid"] = []string{ref.UID}
			}
		}
	}
	return user, matching, "", true
}

const extraPrefix = "authentication.kubernetes.io/"

// exists reports whether an object of the core group is stored, with a uid, and is not being deleted.
func (s *Server) exists(ctx context.Context, plural, namespace string, ref boundRef) bool {
	k := s.keeper.Catalog().Kind("", "v1", plural)
	if k == nil {
		return false
	}
	if !k.Namespaced {
		namespace = ""
	}
	item, err := s.store.Get(ctx, k.Key(namespace, ref.Name))
	if err != nil {
		return false
	}
	var obj struct {
		Metadata struct {
			UID     string     `json:"uid"`
			Deleted *time.Time `json:"deletionTimestamp"`
		} `json:"metadata"`
	}
	if json.Unmarshal(item.Value, &obj) != nil || obj.Metadata.UID != ref.UID {
		return false
	}
	return obj.Metadata.Deleted == nil || s.now().Add(-leeway).Before(*obj.Metadata.Deleted)
}

// A tokenRequest is the part of a TokenRequest that this server reads.
type tokenRequest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		UID       string `json:"uid"`
	} `json:"metadata"`
	Spec tokenRequestSpec `json:"spec"`
}

type tokenRequestSpec struct {
	Audiences []string `json:"audiences"`
	Seconds   *int64   `json:"expirationSeconds"`
	// Attestations are for tokens that are bound to webhook configurations, which this server does not issue.
	Attestations map[string][]string `json:"attestations"`
	Bound        *struct {
		Kind       string `json:"kind"`
		APIVersion string `json:"apiVersion"`
		Name       string `json:"name"`
		UID        string `json:"uid"`
	} `json:"boundObjectRef"`
}

const (
	tokenSubresource = "token"
	tokenKind        = "TokenRequest"
)

// The limits of a token's validity, in seconds.
const (
	leastSeconds = 10 * 60
	hourSeconds  = 60 * 60
	mostSeconds  = 1 << 32
)

// token answers the request if it is for a token of a ServiceAccount, and reports whether it is.
func (q *request) token() bool {
	if q.sub != tokenSubresource || q.kind == nil || q.kind.Type != catalog.AccountType || q.namespace == "" {
		return false
	}
	refused := q.noMethod
	if q.r.Method == http.MethodPost {
		refused = q.issueToken
	}
	if refused := refused(); refused != nil {
		q.refuse(refused)
	}
	return true
}

// issueToken answers POST of a TokenRequest.
func (q *request) issueToken() *field.Status {
	if !q.accepted(false) {
		return nil
	}
	o, refused := q.writing(createOptions)
	if refused != nil {
		return refused
	}
	obj, refused := q.decodedAs(o, catalog.TokenRequestType, catalog.AuthenticationGroup, "v1", tokenKind)
	if refused != nil {
		return refused
	}
	if _, refused = q.readTokenRequest(obj); refused != nil {
		return refused
	}
	if _, refused = q.namespaceFor(q.name); refused != nil {
		return refused
	}
	a := q.admission(hooks.Create, o.dryRun, obj, nil)
	if refused := a.mutate(q.r.Context()); refused != nil {
		return refused
	}
	sent, refused := q.readTokenRequest(a.obj)
	if refused != nil {
		return refused
	}
	if name := sent.Metadata.Name; name != "" && name != q.name {
		at := field.NewPath("metadata", "name")
		return field.List{field.Invalid(at, name, "must match the service account name if specified")}.Status(catalog.AuthenticationGroup, tokenKind, q.name)
	}
	_, account, refused := q.get(q.name)
	if refused != nil {
		return refused
	}
	if refused := q.completeTokenRequest(sent, account); refused != nil {
		return refused
	}
	now, spec := q.s.now(), &sent.Spec
	meta := map[string]any{}
	maps.Copy(meta, mapAt(a.obj, "metadata"))
	maps.Copy(meta, map[string]any{"name": q.name, "namespace": q.namespace, "uid": sent.Metadata.UID, "creationTimestamp": q.s.timestamp()})
	delete(meta, "managedFields")
	shown := map[string]any{
		"kind": tokenKind, "apiVersion": catalog.AuthenticationGroup + "/v1",
		"metadata": meta,
		"spec":     map[string]any{"audiences": anys(spec.Audiences), "expirationSeconds": *spec.Seconds, "boundObjectRef": mapAt(a.obj, "spec")["boundObjectRef"]},
	}
	a.obj = shown
	if refused := a.validate(q.r.Context()); refused != nil {
		return refused
	}
	bound, refused := q.bound(spec)
	if refused != nil {
		return refused
	}
	bound.Account.UID = sent.Metadata.UID
	token, err := q.s.tokens.sign(tokenClaims{
		Audiences: spec.Audiences, Expires: now.Unix() + *spec.Seconds, Issued: now.Unix(), Issuer: issuer, ID: catalog.UID(),
		Bound: bound, NotBefore: now.Unix(), Subject: serviceAccount(q.namespace, q.name).Name,
	})
	if err != nil {
		return failed(err)
	}
	q.send(http.StatusCreated, withMember(shown, []string{"status"}, map[string]any{
		"token": token, "expirationTimestamp": now.Add(time.Duration(*spec.Seconds) * time.Second).UTC().Format(time.RFC3339),
	}))
	return nil
}

// readTokenRequest decodes a TokenRequest, and checks that it is for the namespace of the request.
func (q *request) readTokenRequest(obj map[string]any) (*tokenRequest, *field.Status) {
	sent := new(tokenRequest)
	if err := unstructured.ToStruct(obj, sent); err != nil {
		return nil, refusal.Unhandled(tokenKind, "v1", tokenKind, err)
	}
	if namespace := sent.Metadata.Namespace; namespace != "" && namespace != q.namespace {
		return nil, refusal.OtherNamespace()
	}
	return sent, nil
}

// completeTokenRequest sets what a TokenRequest leaves out, and checks the rest.
func (q *request) completeTokenRequest(sent *tokenRequest, account map[string]any) *field.Status {
	uid := text(metadata(account), "uid")
	if other := sent.Metadata.UID; other != "" && other != uid {
		return resource.GroupResource{Group: catalog.AuthenticationGroup, Resource: tokenKind}.Conflict(q.name,
			fmt.Sprintf("the UID in the token request (%s) does not match the UID of the service account (%s)", other, uid))
	}
	sent.Metadata.UID = uid
	spec := &sent.Spec
	if spec.Seconds == nil {
		hour := int64(hourSeconds)
		spec.Seconds = &hour
	}
	if len(spec.Audiences) == 0 {
		spec.Audiences = []string{issuer}
	}
	var errs field.List
	at := field.NewPath("spec", "expirationSeconds")
	switch seconds := *spec.Seconds; {
	case seconds < leastSeconds:
		errs = append(errs, field.Invalid(at, seconds, "may not specify a duration less than 10 minutes"))
	case seconds > mostSeconds:
		errs = append(errs, field.Invalid(at, seconds, "may not specify a duration larger than 2^32 seconds"))
	}
	if len(spec.Attestations) > 0 { // the only error then
		errs = append(errs[:0], field.Invalid(field.NewPath("spec", "attestations"), spec.Attestations,
			"attestations may only be specified with a webhook bound object reference"))
	}
	if len(errs) > 0 {
		return errs.Status(catalog.AuthenticationGroup, tokenKind, "")
	}
	return nil
}

// bound returns what binds the token of a request: the ServiceAccount, and a Pod, with its node, a Secret or a Node.
func (q *request) bound(spec *tokenRequestSpec) (b boundToObject, refused *field.Status) {
	b.Namespace, b.Account.Name = q.namespace, q.name
	ref := spec.Bound
	if ref == nil {
		return b, nil
	}
	of := *q
	of.sub = ""
	group, version, _ := strings.Cut(ref.APIVersion, "/")
	if version == "" {
		group, version = "", group
	}
	plurals := map[string]string{"Pod": catalog.Pods, "Secret": "secrets", "Node": "nodes"}
	if of.kind = q.catalog.Kind("", "v1", plurals[ref.Kind]); of.kind == nil || group != "" {
		return b, refusal.BadRequest(fmt.Sprintf("cannot bind token to object of type %s/%s, Kind=%s", group, version, ref.Kind))
	}
	if !of.kind.Namespaced {
		of.namespace = ""
	}
	_, obj, refused := of.get(ref.Name)
	if refused != nil {
		return b, refused
	}
	to := &boundRef{Name: ref.Name, UID: text(metadata(obj), "uid")}
	switch ref.Kind {
	case "Pod":
		if text(mapAt(obj, "spec"), "serviceAccountName") != q.name {
			return b, refusal.BadRequest(fmt.Sprintf("cannot bind token for serviceaccount %q to pod running with different serviceaccount name.", q.name))
		}
		b.Pod = to
		if name := text(mapAt(obj, "spec"), "nodeName"); name != "" {
			node, refused := q.named(q.r.Context(), q.catalog.Kind("", "v1", "nodes"), name)
			if refused != nil {
				return b, refused
			}
			b.Node = &boundRef{Name: name, UID: text(metadata(node), "uid")} // without a uid if there is no such node
		}
	case "Secret":
		b.Secret = to
	case "Node":
		b.Node = to
	}
	if ref.UID != "" && ref.UID != to.UID {
		return b, resource.GroupResource{Group: group, Resource: ref.Kind}.Conflict(ref.Name, fmt.Sprintf(
			"the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", ref.UID))
	}
	return b, nil
}
