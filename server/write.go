package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/server/internal/limits"
	"github.com/crdkit/crdkit/server/internal/rbac"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/server/storage"
)

// body reads the body of the request (DEC-016), and waits for the memory to work with it.
func (q *request) body() ([]byte, *field.Status) {
	body, refused := q.readBody()
	if !q.slot.begin() {
		return nil, tooMany() // it gave way to another one; the client may try again
	}
	if refused == nil && !q.definition() { // definitions are written one at a time
		refused = q.reserve(len(body))
	}
	return body, refused
}

// late refuses a body that did not arrive in time.
func late() *field.Status {
	return &field.Status{Code: http.StatusRequestTimeout, Reason: refusal.ReasonTimeout, Message: "the body did not arrive in time"}
}

// readBody reads the body. A large one waits for memory.
func (q *request) readBody() ([]byte, *field.Status) {
	from := http.MaxBytesReader(q.w, q.r.Body, refusal.MaxBody)
	start, err := io.ReadAll(io.LimitReader(from, small+1))
	if err == nil && len(start) > small {
		length := q.r.ContentLength
		if length < 0 || length > refusal.MaxBody {
			length = refusal.MaxBody
		}
		if q.slot.leaveBodies, err = q.s.budget.bodies.Enter(q.r.Context(), length, queued); errors.Is(err, limits.ErrFull) {
			return nil, tooMany()
		} else if err != nil {
			return nil, failed(err)
		}
		stop := q.s.hurry(q.s.budget.bodies, q.s.options.Timeout, q.slot.control.SetReadDeadline)
		whole := bytes.NewBuffer(append(make([]byte, 0, length+bytes.MinRead), start...))
		_, err = whole.ReadFrom(from)
		start = whole.Bytes()
		stop()
	}
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, refusal.LongBody()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, late()
	case err != nil:
		return nil, refusal.BadRequest(err.Error())
	}
	return start, nil
}

// A writing has the body of a write and its options from the query.
type writing struct {
	body            []byte
	dryRun          bool
	fieldValidation string
	by              apply.Options
}

// writing reads the options and the body of a write. kind is the kind of the options, for error messages. All their
// errors are reported together, before the body is read. For a create, a wrong content type is refused first.
func (q *request) writing(kind string) (o writing, refused *field.Status) {
	if kind == createOptions {
		if _, refused := q.mediaType(); refused != nil {
			return o, refused
		}
	}
	var errs field.List
	manager, patched := q.query.Get("fieldManager"), kind == patchOptions
	switch applied := patched && q.patchType() == applyPatch; {
	case applied && manager == "":
		errs = append(errs, field.Required(field.NewPath("fieldManager"), "is required for apply patch"))
	case patched && !applied && q.has("force"):
		errs = append(errs, field.Forbidden(field.NewPath("force"), "may not be specified for non-apply patch"))
	}
	errs = append(errs, objectmeta.CheckManager(manager)...)
	dryRun, dryErrs := protocol.DryRun(q.query["dryRun"])
	errs = append(errs, dryErrs...)
	o.dryRun, o.fieldValidation = dryRun, q.query.Get("fieldValidation")
	errs = append(errs, objectmeta.CheckFieldValidation(o.fieldValidation)...)
	if len(errs) > 0 {
		return o, invalidOptions(kind, errs...)
	}
	o.by = apply.Options{Manager: cmp.Or(manager, agent(q.r)), Force: patched && q.flag("force"), Now: q.s.now(), Untimed: true}
	o.body, refused = q.body()
	return o, refused
}

// The kinds of the options of a POST and a PATCH.
const (
	createOptions = "CreateOptions"
	patchOptions  = "PatchOptions"
)

// agent returns the default field manager: the name in User-Agent.
func agent(r *http.Request) string {
	const most = 128
	name, _, _ := strings.Cut(r.UserAgent(), "/")
	var b strings.Builder
	for _, c := range name {
		if unicode.IsPrint(c) && b.Len()+utf8.RuneLen(c) <= most {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// versionFor returns the kind's version with the options of this request.
func (q *request) versionFor(o writing) *apply.Version {
	return q.kind.Tracked().With(q.options(o))
}

func (q *request) options(o writing) resource.RequestOptions {
	out := resource.RequestOptions{
		Namespace: q.namespace, Name: q.name, FieldValidation: o.fieldValidation, ContentType: q.r.Header.Get("Content-Type"),
		DryRun: o.dryRun,
	}
	if mutated, plugged := q.mutated(), q.plugins() != nil; mutated || plugged {
		out.Admit = func(ctx context.Context, obj, old map[string]any) (map[string]any, error) {
			if old == nil {
				if refused := q.place(obj); refused != nil {
					return nil, refused
				}
			}
			if plugged {
				var refused *field.Status
				if obj, refused = q.plug(ctx, obj, old); refused != nil {
					return nil, refused
				}
			}
			if !mutated {
				return obj, nil
			}
			return q.mutate(ctx, o.dryRun, obj, old)
		}
	}
	if q.definition() {
		out.Admit = q.noting(out.Admit)
	}
	return out
}

// place refuses a new object whose kind or namespace is missing or terminating. A server does so in admission, before it
// validates the object.
func (q *request) place(obj map[string]any) *field.Status {
	if q.placed != nil {
		return nil
	}
	if _, refused := q.mayHave(text(metadata(obj), "name")); refused != nil || !q.kind.Namespaced {
		return refused
	}
	item, refused := q.namespaceFor(q.nameOf(obj))
	if refused == nil {
		q.placed = &item
	}
	return refused
}

// mayHave refuses a new object whose kind is missing or terminating. Otherwise it returns the kind as it is now.
func (q *request) mayHave(name string) (*catalog.Kind, *field.Status) {
	k := q.s.keeper.Catalog().Kind(q.kind.Group, q.kind.VersionName, q.kind.Names.Plural)
	switch {
	case k == nil || text(k.Definition.Metadata, "uid") != text(q.kind.Definition.Metadata, "uid"):
		return nil, q.kind.Resource().NotFound(name)
	case k.Terminating: // STR-019
		return nil, q.kind.Resource().Terminating(name)
	}
	return k, nil
}

// create answers POST.
func (q *request) create() *field.Status {
	o, refused := q.writing(createOptions)
	if refused != nil {
		return refused
	}
	body, refused := q.bodyAsJSON(o)
	if refused != nil {
		return refused
	}
	obj, refused := q.add(o, func() resource.Result { return q.versionFor(o).CreateBody(q.r.Context(), body, o.by) })
	if refused != nil {
		return refused
	}
	q.answer(http.StatusCreated, obj)
	return nil
}

// add stores the object that create returns, and returns it with its new metadata.
func (q *request) add(o writing, create func() resource.Result) (map[string]any, *field.Status) {
	defer q.exclusive()()
	var result resource.Result
	compute := func() { result = q.prepare(o, create(), nil) }
	compute()
	q.warnings = append(q.warnings, result.Warnings...)
	refused := result.Status()
	if refused == nil || refused.Code == http.StatusUnprocessableEntity { // what a server finds before it validates
		if misplaced := q.place(result.Object); misplaced != nil {
			return nil, misplaced
		}
	}
	if refused != nil {
		return nil, refused
	}
	meta := metadata(result.Object)
	base, name := text(meta, "generateName"), text(meta, "name")
	generated := name == ""
	identity := map[string]any{"uid": catalog.UID(), "creationTimestamp": q.s.timestamp()}
	for attempts := 8; ; attempts-- { // STR-001
		if generated {
			name = generateName(base)
			identity["name"] = name
			if q.kind.Type == catalog.NamespaceType {
				identity["labels"] = namespaceLabels(meta, name)
			}
		}
		result.Object, result.Stored = q.identified(withIdentity(result.Object, identity)), withIdentity(result.Stored, identity)
		if refused := q.validate(hooks.Create, o.dryRun, result.Object, nil); refused != nil {
			return nil, refused
		}
		revision, err := q.store(o, result)
		switch {
		case errors.Is(err, errDefinitionsChanged) && attempts > 1:
			compute()
			if refused := result.Status(); refused != nil {
				return nil, refused
			}
			continue
		case errors.Is(err, storage.ErrExists) && generated && attempts > 1:
			continue
		case errors.Is(err, storage.ErrExists) && generated:
			return nil, q.kind.Resource().NameNotGenerated(name)
		case errors.Is(err, storage.ErrExists):
			return nil, q.kind.Resource().AlreadyExists(name)
		case err != nil:
			return nil, failed(err)
		case o.dryRun:
			return q.answered(result.Object), nil
		}
		return withRevision(q.answered(result.Object), revision), nil
	}
}

// withIdentity returns a copy of obj with additional members in its metadata.
func withIdentity(obj, identity map[string]any) map[string]any {
	meta := maps.Clone(metadata(obj))
	maps.Copy(meta, identity)
	return with(obj, meta)
}

// stored returns the object to store for a result. For built-in kinds, which have only one version, it is Object,
// because the server has changed only that.
func (q *request) stored(r resource.Result) map[string]any {
	if q.kind.BuiltIn {
		return r.Object
	}
	return r.Stored
}

// store creates the object on the condition that its namespace and its kind exist at the time of the write. The error
// may be a refusal.
func (q *request) store(o writing, result resource.Result) (revision int64, err error) {
	value, err := encode(q.stored(result))
	if err != nil {
		return 0, err
	}
	name := text(metadata(result.Object), "name")
	key := q.kind.Key(q.namespace, name)
	for range maxAttempts {
		conditions, refused := q.mayExist(name)
		if refused != nil {
			return 0, refused
		}
		if o.dryRun {
			switch _, err := q.s.store.Get(q.r.Context(), key); {
			case err == nil:
				return 0, storage.ErrExists
			case !errors.Is(err, storage.ErrNotFound):
				return 0, err
			}
			return 0, nil
		}
		revision, err = q.s.store.Create(q.r.Context(), key, value, append(conditions, q.definitionsUnchanged()...)...)
		if !errors.Is(err, storage.ErrCondition) {
			break
		}
		if err := q.s.catchUp(q.r.Context()); err != nil {
			return 0, err
		}
		if q.definition() {
			return 0, errDefinitionsChanged
		}
	}
	if err == nil {
		err = q.waitForCatalog(revision)
	}
	return revision, err
}

// errDefinitionsChanged means that other definitions have changed since a definition was checked against them.
var errDefinitionsChanged = errors.New("other definitions have changed")

// definitionsUnchanged returns the condition that no definition has changed since this one was checked against the
// others. It keeps names unique.
func (q *request) definitionsUnchanged() []storage.Condition {
	if !q.definition() || q.checkedAt == 0 {
		return nil
	}
	return []storage.Condition{{Prefix: q.kind.Prefix(""), Revision: q.checkedAt}}
}

// catchUp waits until the catalog has all stored definitions, including those that other servers have written.
func (s *Server) catchUp(ctx context.Context) error {
	if s.options.Definitions != nil {
		return nil
	}
	k := s.keeper.Catalog().Kind(crd.Group, "v1", catalog.Definitions)
	page, err := s.store.List(ctx, storage.Range{Prefix: k.Prefix("")})
	if err != nil {
		return err
	}
	latest := int64(0)
	for _, item := range page.Items {
		latest = max(latest, item.Revision)
	}
	return s.keeper.Wait(ctx, latest)
}

// mayExist refuses a new object whose kind or namespace is missing or terminating. Otherwise it returns the conditions
// that both still exist at the time of the write.
func (q *request) mayExist(name string) (conditions []storage.Condition, refused *field.Status) {
	k, refused := q.mayHave(name)
	if refused != nil {
		return nil, refused
	}
	if !k.BuiltIn && q.s.options.Definitions == nil {
		definition := q.s.keeper.Catalog().Kind(crd.Group, "v1", catalog.Definitions).Key("", k.Definition.Name())
		revision, err := strconv.ParseInt(k.Definition.ResourceVersion(), 10, 64)
		if err != nil {
			return nil, protocol.Internal(err)
		}
		conditions = append(conditions, storage.Condition{Key: definition, Revision: revision})
	}
	if q.kind.Namespaced {
		item := q.placed // read before; if it has changed since, the write fails and is tried again
		if q.placed = nil; item == nil {
			now, refused := q.namespaceFor(name)
			if refused != nil {
				return nil, refused
			}
			item = &now
		}
		conditions = append(conditions, storage.Condition{Key: item.Key, Revision: item.Revision})
	}
	return conditions, nil
}

// generateName returns a random name that begins with base.
func generateName(base string) string {
	const most, random, alphabet = 63, 5, "bcdfghjklmnpqrstvwxz2456789"
	var b [random]byte
	rand.Read(b[:])
	for i := range b {
		b[i] = alphabet[int(b[i])%len(alphabet)]
	}
	return base[:min(len(base), most-random)] + string(b[:])
}

// A change computes the new object from the stored one.
type change func(v *apply.Version, stored map[string]any) resource.Result

// update answers PUT.
func (q *request) update() *field.Status {
	o, refused := q.writing("UpdateOptions")
	if refused != nil {
		return refused
	}
	if q.sub == "scale" {
		return q.updateScale(o)
	}
	body, refused := q.bodyAsJSON(o)
	if refused != nil {
		return refused
	}
	obj, warnings, err := q.kind.Version().With(q.options(o)).Decode(body)
	q.warnings = append(q.warnings, warnings...)
	if err != nil {
		return failed(err)
	}
	change := func(v *apply.Version, stored map[string]any) resource.Result {
		sent := obj
		if stored != nil {
			sent = q.current(obj, stored)
		}
		return forSubresource(q, v.Update, v.UpdateStatus, v.UpdateScale)(q.r.Context(), sent, stored, o.by)
	}
	for range maxAttempts {
		refused = q.notFound(o, q.modify(o, change), change)
		if !q.missing(refused) || q.sub != "" || !createdByPut[q.kind.Type] {
			return refused
		}
		refused = q.createByPut(o, obj)
		if !equal(refused, q.kind.Resource().AlreadyExists(q.name)) { // otherwise it was created in the meantime
			return refused
		}
	}
	return refused
}

// createdByPut are the types of which PUT creates an object that does not exist.
var createdByPut = map[string]bool{
	serviceType: true, "core.v1.Endpoints": true, "core.v1.Event": true, "events.v1.Event": true, "core.v1.LimitRange": true,
	"coordination.v1.Lease": true, "node.v1.RuntimeClass": true,
	"rbac.v1.Role": true, "rbac.v1.RoleBinding": true, "rbac.v1.ClusterRole": true, "rbac.v1.ClusterRoleBinding": true,
}

// createByPut creates the object of a PUT, whose name has been checked.
func (q *request) createByPut(o writing, obj map[string]any) *field.Status {
	if refused := q.mayCreate(); refused != nil {
		return refused
	}
	meta := maps.Clone(metadata(obj))
	if uid := text(meta, "uid"); uid != "" {
		root := storePrefix
		if o.dryRun {
			root = "" // as a server says
		}
		return q.storageError(root, "Precondition failed: UID in precondition: "+uid+", UID in object meta: ")
	}
	delete(meta, "resourceVersion")
	obj, refused := q.add(o, func() resource.Result { return q.versionFor(o).Create(q.r.Context(), with(obj, meta), o.by) })
	if refused != nil {
		return refused
	}
	q.answer(http.StatusCreated, obj)
	return nil
}

// storageError refuses a request for an object because of a condition of a server's store, whose keys begin with root.
func (q *request) storageError(root, why string) *field.Status {
	key := root + q.kind.Registry()
	if q.namespace != "" {
		key += "/" + q.namespace
	}
	return q.kind.Resource().Conflict(q.name, refusal.InvalidInStore(key+"/"+q.name, why))
}

// updateScale answers PUT of the scale subresource.
func (q *request) updateScale(o writing) *field.Status {
	sent, refused := q.decodedScale(o)
	if refused != nil && refused.Code == http.StatusBadRequest && !q.kind.BuiltIn {
		refused = refusal.NoScaleKind()
	}
	if refused != nil {
		return refused
	}
	change := func(v *apply.Version, stored map[string]any) resource.Result {
		return v.UpdateScale(q.r.Context(), sent, stored, o.by)
	}
	return q.notFound(o, q.modify(o, change), change)
}

// decodedScale decodes a Scale, and returns only what a write uses: decodedAs has reported unknown fields.
func (q *request) decodedScale(o writing) (map[string]any, *field.Status) {
	of := otherKinds["scale"]
	sent, refused := q.decodedAs(o, scaleType, of[0], of[1], of[2])
	if refused != nil {
		return nil, refused
	}
	scale := map[string]any{"apiVersion": sent["apiVersion"], "kind": sent["kind"], "metadata": sent["metadata"]}
	if replicas, has := mapAt(sent, "spec")["replicas"]; has {
		scale["spec"] = map[string]any{"replicas": replicas}
	}
	return scale, nil
}

// notFound returns the refusal of a change. If there is no such object, it is the refusal of a change to nil: what is
// wrong with the request, such as another name in the body, is refused first.
func (q *request) notFound(o writing, refused *field.Status, change change) *field.Status {
	if !q.missing(refused) {
		return refused
	}
	result := change(q.versionFor(o), nil)
	q.warnings = append(q.warnings, result.Warnings...)
	return result.Status()
}

// The media types of patches that this package names.
const (
	applyPatch     = "application/apply-patch+yaml"
	mergePatch     = "application/merge-patch+json"
	jsonPatch      = "application/json-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"

	customPatches = jsonPatch + ", " + mergePatch + ", " + applyPatch // of custom objects
)

// patchType returns the media type of a patch.
func (q *request) patchType() string {
	mediaType, _, _ := strings.Cut(q.r.Header.Get("Content-Type"), ";")
	return mediaType
}

// forSubresource returns object, status or scale, depending on the subresource of the request.
func forSubresource[T any](q *request, object, status, scale T) T {
	switch q.sub {
	case "status", approvalSubresource:
		return status
	case "scale":
		return scale
	}
	return object
}

// apply answers a PATCH for server-side apply, which changes the object, or creates it if it does not exist.
func (q *request) apply(o writing) *field.Status {
	body := q.unversioned(o.body)
	o.by.Manager = q.query.Get("fieldManager") // there is no default
	for range maxAttempts {
		_, _, refused := q.get(q.name)
		missing := q.missing(refused)
		if refused != nil && !missing {
			return refused
		}
		if missing && q.sub == "" {
			if refused := q.mayCreate(); refused != nil {
				return refused
			}
			obj, refused := q.add(o, func() resource.Result { return q.versionFor(o).Apply(q.r.Context(), body, nil, o.by) })
			if equal(refused, q.kind.Resource().AlreadyExists(q.name)) {
				continue
			}
			if refused == nil {
				q.answer(http.StatusCreated, obj)
			}
			return refused
		}
		refused = q.modify(o, func(v *apply.Version, stored map[string]any) resource.Result {
			return forSubresource(q, v.Apply, v.ApplyStatus, v.ApplyScale)(q.r.Context(), body, stored, o.by)
		})
		if q.missing(refused) && q.sub == "" {
			continue // it was deleted in the meantime
		}
		return refused
	}
	return q.kind.Resource().Modified(q.name)
}

// missing reports whether a refusal says that the object of the request does not exist.
func (q *request) missing(refused *field.Status) bool {
	return equal(refused, q.kind.Resource().NotFound(q.name))
}

// equal reports whether a refusal is the other one. A webhook chooses the code and the reason of its refusals, but not
// how their messages begin.
func equal(refused, other *field.Status) bool {
	return refused != nil && refused.Reason == other.Reason && refused.Message == other.Message
}

// patch answers PATCH.
func (q *request) patch() *field.Status {
	switch q.patchType() {
	case applyPatch, mergePatch, jsonPatch:
	case strategicPatch:
		if !q.kind.BuiltIn {
			return refusal.MediaType(customPatches)
		}
	default:
		if !q.kind.BuiltIn {
			return refusal.MediaType(customPatches)
		}
		return q.noRoute(http.StatusUnsupportedMediaType, "UnsupportedMediaType", "415: Unsupported Media Type")
	}
	o, refused := q.writing(patchOptions)
	if refused != nil {
		return refused
	}
	mediaType := q.patchType()
	if mediaType == applyPatch {
		return q.apply(o)
	}
	strategic := mediaType == strategicPatch
	change := func(v *apply.Version, stored map[string]any) resource.Result {
		patch := forSubresource(q, v.Patch, v.PatchStatus, v.PatchScale)
		if !strategic {
			return patch(q.r.Context(), q.r.Header.Get("Content-Type"), o.body, stored, o.by)
		}
		if stored == nil && json.Valid(o.body) {
			return resource.Result{Failure: q.kind.Resource().NotFound(q.name)}
		}
		merge, patched, err := q.strategicMerge(o.body, stored)
		if refused := new(field.Status); errors.As(err, &refused) {
			return resource.Result{Failure: refused}
		}
		if err != nil {
			return resource.Result{Failure: refusal.BadRequest(err.Error())}
		}
		if refused := q.unconvertible(o, patched); refused != nil {
			return resource.Result{Failure: refused}
		}
		return q.reportPatch(o, patched, patch(q.r.Context(), mergePatch, merge, stored, o.by))
	}
	return q.notFound(o, q.modify(o, change), change)
}

// maxAttempts is how often a change is attempted if other clients change the object at the same time. A change with a
// resourceVersion is refused at the second attempt.
const maxAttempts = 50

// modify applies a change to an object, and answers with the result.
func (q *request) modify(o writing, change change) *field.Status {
	obj, refused := q.try(o, change)
	if refused != nil {
		return refused
	}
	if q.sub == "scale" {
		var err error
		if obj, err = q.kind.Version().WrittenScale(obj); err != nil {
			return failed(err)
		}
	}
	q.answer(http.StatusOK, obj)
	return nil
}

// try applies a change to an object, and returns the object in the request's version.
func (q *request) try(o writing, change change) (obj map[string]any, refused *field.Status) {
	defer q.exclusive()()
	refused = q.attempt(q.name, func(item storage.Item, old map[string]any) error {
		result := q.prepare(o, change(q.versionFor(o), old), old)
		if refused := result.Status(); refused != nil {
			q.warnings = append(q.warnings, result.Warnings...)
			return refused
		}
		if refused := q.validate(hooks.Update, o.dryRun, result.Object, old); refused != nil {
			return refused
		}
		revision, err := q.replace(q.r.Context(), o, item, result)
		if err != nil {
			return err
		}
		q.warnings = append(q.warnings, result.Warnings...)
		obj = withRevision(q.answered(result.Object), revision)
		return nil
	})
	return obj, refused
}

// attempt calls do with a stored object. It tries again if another client has changed the object in the meantime.
func (q *request) attempt(name string, do func(item storage.Item, stored map[string]any) error) *field.Status {
	for range maxAttempts {
		item, stored, refused := q.get(name)
		if refused != nil {
			return refused
		}
		err := do(item, stored)
		if errors.Is(err, storage.ErrCondition) {
			if err = q.s.catchUp(q.r.Context()); err == nil {
				continue
			}
		}
		switch {
		case errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrNotFound):
		case err != nil:
			return failed(err)
		default:
			return nil
		}
	}
	return q.kind.Resource().Modified(name)
}

// replace stores the result of a request or deletes the object, and returns the revision. It writes nothing if the
// object has not changed.
func (q *request) replace(ctx context.Context, o writing, item storage.Item, result resource.Result) (revision int64, err error) {
	revision = item.Revision
	switch {
	case o.dryRun:
	case result.Deleted:
		if revision, err = q.s.store.Delete(ctx, item.Key, item.Revision); err == nil {
			q.s.wake()
		}
	default:
		value, failed := encode(q.stored(result))
		if failed != nil {
			return 0, failed
		}
		if string(value) != string(item.Value) {
			revision, err = q.s.store.Update(ctx, item.Key, value, item.Revision, q.definitionsUnchanged()...)
		}
	}
	if err == nil && revision != item.Revision {
		err = q.waitForCatalog(revision)
	}
	return revision, err
}

// exclusive locks out other writes of definitions in this server if the request is for definitions. The caller must
// call the returned function. Conditional writes protect against other servers on the same store.
func (q *request) exclusive() func() {
	if !q.definition() {
		return func() {}
	}
	q.s.definitions.Lock()
	return q.s.definitions.Unlock
}

// definition reports whether the request is for definitions.
func (q *request) definition() bool {
	return q.kind != nil && q.kind.Group == crd.Group && q.kind.Names.Plural == catalog.Definitions
}

// waitForCatalog waits until the catalog has a definition that was written at a revision, or the server the webhooks of
// a configuration, a policy, a role or a binding.
func (q *request) waitForCatalog(revision int64) error {
	if _, ok := q.configures(); ok {
		return q.s.hooks.follower.Wait(q.r.Context(), revision)
	}
	if q.s.roles != nil && q.kind.BuiltIn && q.kind.Group == rbac.Group {
		return q.s.roles.follower.Wait(q.r.Context(), revision)
	}
	if !q.definition() {
		return nil
	}
	return q.s.keeper.Wait(q.r.Context(), revision)
}

// prepare completes and checks objects of built-in kinds, after they were decoded and validated against their schemas.
func (q *request) prepare(o writing, r resource.Result, stored map[string]any) resource.Result {
	switch {
	case !q.kind.BuiltIn || r.Failure != nil:
		return r
	case q.definition():
		return q.prepareDefinition(o, r, stored)
	}
	if len(r.Errors) == 0 && r.Object != nil {
		if r.Failure = q.mayGrant(r.Object, stored); r.Failure != nil {
			return r
		}
	}
	r.Errors = refusal.DistinctErrors(r.Errors) // for custom objects, a server repeats some
	if q.kind.Described() {
		return prepareNamespace(q.sub, r, stored)
	}
	r = q.prepareService(o, q.prepareCertificate(q.partOfPod(q.prepareStock(r, stored), stored), stored), stored)
	if plural, ok := q.configures(); ok {
		return q.prepareConfiguration(r, stored, plural)
	}
	return r
}
