package objectmeta

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/names"
)

// A NameRule says what the name of an object may be.
type NameRule uint8

// The rules for names.
const (
	Subdomain   NameRule = iota // a DNS subdomain: custom objects (MET-001)
	PathSegment                 // whatever can stand in a URL: the server's second check of any object, and embedded resources (MET-002)
)

// nameRules has what they say of a name, of a generateName, and of the names that are made of a generateName.
var nameRules = [...]struct {
	valid, validPrefix, validGenerated func(string) bool
	messages, prefixMessages           func(string) []string
}{
	Subdomain: {
		names.IsDNS1123Subdomain, names.IsDNS1123SubdomainPrefix, names.BeginsDNS1123Subdomain,
		names.DNS1123Subdomain, names.DNS1123SubdomainPrefix,
	},
	PathSegment: {
		names.IsPathSegment, names.IsPathSegmentPrefix, names.IsPathSegmentPrefix,
		names.PathSegment, names.PathSegmentPrefix,
	},
}

// ValidateCreate returns what is wrong with the metadata of a new object: its generateName, name, namespace, generation, labels,
// annotations, owner references, finalizers and managed fields, in this order. Within labels and annotations the order is that of
// the keys. Fields and paths of the errors start with path, the place of the metadata.
//
// A name must be there, or a generateName. With the latter alone, and if it passes itself, the name that [GeneratedName] makes of it is
// judged as well. That finds _-, which passes as a generateName. (A server judges that name also where it has refused the generateName,
// and has an error with a name in it that nobody has seen; here that is one mistake.)
//
// If meta is not what [Read] returns, and does not convert, that is the only error. A nil meta is empty. The server reports each text of
// its first check only once ([Deduplicate]), and those of the second, generic one as they are. The errors end at the limit.
//
// Clauses: MET-000 to MET-009, MET-012, MET-020 to MET-022.
func ValidateCreate(meta map[string]any, path *field.Path, namespaced bool, rule NameRule, limit field.Limit) field.List {
	if err := conversionError(meta); err != nil {
		return field.List{field.Invalid(path, meta, err.Error())}
	}
	c := checker{path: path, errs: errlist.Within(limit)}
	c.name(nameOf(meta), rule, true)
	c.create(meta, namespaced)
	return c.errs.Errors()
}

// ValidateUpdate returns what is wrong with a change from the metadata old to meta: finalizers that are added during deletion, a
// resourceVersion that is missing though old has one, a generation that went down, a change of what must not change, then labels,
// annotations, owner references and managed fields as [ValidateCreate] has them, each in this order. A uid may be set where old
// has none.
//
// The server asks for the rules of create besides. What it puts back itself before it compares is [Retain]'s part.
//
// If meta or old is not what [Read] returns, and does not convert, that is the only error. A nil map is empty. The errors end at the limit.
//
// Clauses: MET-000, MET-006 to MET-008, MET-010 to MET-012.
func ValidateUpdate(meta, old map[string]any, path *field.Path, limit field.Limit) field.List {
	for _, m := range []map[string]any{meta, old} {
		if err := conversionError(m); err != nil {
			return field.List{field.Invalid(path, m, err.Error())}
		}
	}
	c := checker{path: path, errs: errlist.Within(limit)}
	c.update(meta, old)
	for i := range Metadata.Members {
		if m := &Metadata.Members[i]; m.rule != checkGeneration && m.rule != checkFinalizers {
			c.member(m, meta[m.Name])
		}
	}
	return c.errs.Errors()
}

// ValidCreate reports whether [ValidateCreate] finds nothing, with either rule for names: both apply to a create. meta is as [Read] returns
// it. If its times are canonical, and it is valid, ValidCreate allocates nothing.
//
// Clauses: MET-000 to MET-009, MET-012.
func ValidCreate(meta map[string]any, namespaced bool) bool {
	if !converts(meta) {
		return false
	}
	c := checker{errs: errlist.Within(oneError)}
	c.name(nameOf(meta), Subdomain, true)
	c.name(nameOf(meta), PathSegment, true)
	c.create(meta, namespaced)
	return c.errs.Len() == 0
}

// ValidUpdate reports whether an update finds nothing: neither [ValidateUpdate], nor [ValidateCreate] with the rule [PathSegment]. meta
// and old are as [Read] returns them. If their times are canonical, meta is valid, and old has few finalizers, ValidUpdate allocates nothing.
//
// Clauses: MET-000, MET-002 to MET-012.
func ValidUpdate(meta, old map[string]any, namespaced bool) bool {
	if !converts(meta) || !converts(old) {
		return false
	}
	c := checker{errs: errlist.Within(oneError)}
	c.name(nameOf(meta), PathSegment, true)
	c.create(meta, namespaced)
	c.update(meta, old)
	return c.errs.Len() == 0
}

// oneError is the limit where only the existence of errors matters.
var oneError = field.Limit{Errors: 1}

// A checker collects the errors of one metadata that converts. Where there are none, it allocates nothing.
type checker struct {
	path *field.Path
	errs errlist.List
}

func (c *checker) add(e *field.Error) { c.errs.Add(e) }

// invalid adds an error for each message.
func (c *checker) invalid(path *field.Path, value any, messages ...string) {
	for _, m := range messages {
		if c.errs.Full() {
			c.errs.Skip(field.ErrorTypeInvalid)
		} else {
			c.add(field.Invalid(path, value, m))
		}
	}
}

// objectName is what the name of an object depends on.
type objectName struct{ name, generateName string }

func nameOf(meta map[string]any) objectName {
	return objectName{text(meta["name"]), text(meta["generateName"])}
}

// name checks generateName and name. If both are empty, that is an error if a name is required.
func (c *checker) name(n objectName, which NameRule, required bool) {
	name, prefix, rule := n.name, n.generateName, &nameRules[which]
	if prefix != "" && !rule.validPrefix(prefix) {
		c.invalid(c.path.Child("generateName"), prefix, rule.prefixMessages(prefix)...)
		required = false // The name that is made of it is not checked.
	}
	switch {
	case name != "":
		if !rule.valid(name) {
			c.invalid(c.path.Child("name"), name, rule.messages(name)...)
		}
	case !required:
	case prefix == "":
		c.add(field.Required(c.path.Child("name"), "name or generateName is required"))
	case !rule.validGenerated(prefix[:min(len(prefix), maxGeneratedPrefix)]):
		name = generated(prefix)
		c.invalid(c.path.Child("name"), name, rule.messages(name)...)
	}
}

// maxRepeated is how many errors of one kind a single text or list gets, each of which prints all of it: more would make an answer that grows
// with the square of the request.
const maxRepeated = 10

// maxGeneratedPrefix is what the server takes of a generateName, so that the whole name is a DNS label (STR-001).
const maxGeneratedPrefix = names.MaxLabel - len(generatedSuffix)

// generatedSuffix stands for the five characters that the server draws: letters and digits, so that for the rules any will do.
const generatedSuffix = "xxxxx"

// GeneratedName returns a name such as a server makes of a generateName before it validates an object: at most 58 bytes of it and five
// letters, which are always xxxxx here. It returns nothing where meta has a name or no generateName.
//
// Clauses: STR-001.
func GeneratedName(meta map[string]any) string {
	prefix := text(meta["generateName"])
	if prefix == "" || text(meta["name"]) != "" {
		return ""
	}
	return generated(prefix)
}

func generated(prefix string) string {
	return prefix[:min(len(prefix), maxGeneratedPrefix)] + generatedSuffix
}

// create checks what follows the name on create.
func (c *checker) create(meta map[string]any, namespaced bool) {
	c.namespace(text(meta["namespace"]), namespaced)
	for i := range Metadata.Members {
		m := &Metadata.Members[i]
		c.member(m, meta[m.Name])
	}
}

func (c *checker) namespace(namespace string, namespaced bool) {
	switch {
	case !namespaced && namespace != "":
		c.add(field.Forbidden(c.path.Child("namespace"), "not allowed on this type"))
	case !namespaced:
	case namespace == "":
		c.add(field.Required(c.path.Child("namespace"), ""))
	case !names.IsDNS1123Label(namespace):
		c.invalid(c.path.Child("namespace"), namespace, names.DNS1123Label(namespace)...)
	}
}

// A rule says what is checked of a member by itself.
type rule uint8

const (
	noRule rule = iota
	checkGeneration
	checkLabels
	checkAnnotations
	checkOwners
	checkFinalizers
	checkManagedFields
)

// member checks the value v of m, nil if there is none.
func (c *checker) member(m *Member, v any) {
	switch m.rule {
	case checkGeneration:
		c.generation(integer(v))
	case checkLabels:
		c.labels(object(v))
	case checkAnnotations:
		c.annotations(object(v))
	case checkOwners:
		c.owners(list(v))
	case checkFinalizers:
		c.finalizers(list(v))
	case checkManagedFields:
		c.managedFields(list(v))
	}
}

func (c *checker) generation(n int64) {
	if n < 0 {
		c.invalid(c.path.Child("generation"), n, "must be greater than or equal to 0")
	}
}

func (c *checker) labels(labels map[string]any) {
	var wrong []string
	for k, v := range labels {
		if !names.IsQualifiedName(k) || !names.IsLabelValue(text(v)) {
			wrong = append(wrong, k)
		}
	}
	slices.Sort(wrong)
	for _, k := range wrong {
		at, v := c.path.Child("labels"), text(labels[k])
		c.invalid(at, k, names.QualifiedName(k)...)
		c.invalid(at, v, names.LabelValue(v)...)
	}
}

// maxAnnotations is how many bytes the keys and values of all annotations may have.
const maxAnnotations = 262144

func (c *checker) annotations(annotations map[string]any) {
	var wrong []string
	for k := range annotations {
		if !names.IsQualifiedNameFold(k) {
			wrong = append(wrong, k)
		}
	}
	slices.Sort(wrong)
	for _, k := range wrong {
		c.invalid(c.path.Child("annotations"), k, names.QualifiedName(strings.ToLower(k))...)
	}
	if !AnnotationsFit(annotations) {
		c.add(field.TooLong(c.path.Child("annotations"), maxAnnotations))
	}
}

// AnnotationsFit reports whether all annotations together are no longer than they may be.
func AnnotationsFit(annotations map[string]any) bool {
	size := 0
	for k, v := range annotations {
		size += len(k) + len(text(v))
	}
	return size <= maxAnnotations
}

// OwnerReference is an owner reference as errors have it for a value: its keys are in the server's order as JSON.
type OwnerReference struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         *bool  `json:"controller,omitempty"`
	BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty"`
}

func ownerReference(v any) OwnerReference {
	m := object(v)
	boolean := func(v any) *bool {
		if b, ok := v.(bool); ok {
			return &b
		}
		return nil
	}
	return OwnerReference{
		APIVersion: text(m["apiVersion"]), Kind: text(m["kind"]), Name: text(m["name"]), UID: text(m["uid"]),
		Controller: boolean(m["controller"]), BlockOwnerDeletion: boolean(m["blockOwnerDeletion"]),
	}
}

func (c *checker) owners(owners []any) {
	path := func() *field.Path { return c.path.Child("ownerReferences") }
	controllers, first := 0, any(nil)
	var all []OwnerReference // made when an error prints them
	for i, v := range owners {
		m := object(v)
		at := func(key string) *field.Path { return path().Index(i).Child(key) }
		apiVersion := text(m["apiVersion"])
		group, version, err := GroupVersion(apiVersion)
		switch {
		case apiVersion == "":
			c.add(field.Required(at("apiVersion"), "must not be empty"))
		case err != nil || version == "":
			c.invalid(at("apiVersion"), apiVersion, "must be <group>/<version> or <version>")
		}
		for _, key := range [...]string{"kind", "name", "uid"} {
			if text(m[key]) == "" {
				c.add(field.Required(at(key), "must not be empty"))
			}
		}
		if isEvent(group, version, text(m["kind"])) {
			c.invalid(path().Index(i), ownerReference(v), "/v1, Kind=Event is disallowed from being an owner")
		}
		if controller, _ := m["controller"].(bool); !controller {
			continue
		}
		if controllers++; controllers == 1 {
			first = v
		} else if controllers <= 1+maxRepeated {
			if all == nil {
				for _, v := range owners {
					all = append(all, ownerReference(v))
				}
			}
			a, b := ownerReference(first), ownerReference(v)
			c.invalid(path(), all, fmt.Sprintf(`Only one reference can have Controller set to true. Found "true" in references for %s/%s and %s/%s`,
				a.Kind, a.Name, b.Kind, b.Name))
		}
	}
}

// isEvent reports whether an owner would be an event of the core group: these go away too soon to own anything.
func isEvent(group, version, kind string) bool {
	return group == "" && version == "v1" && kind == "Event"
}

const (
	orphanFinalizer     = "orphan"
	foregroundFinalizer = "foregroundDeletion"
)

func (c *checker) finalizers(finalizers []any) {
	orphan, foreground := false, false
	for _, v := range finalizers {
		f := text(v)
		if !names.IsQualifiedName(f) {
			c.invalid(c.path.Child("finalizers"), f, names.QualifiedName(f)...)
		}
		orphan = orphan || f == orphanFinalizer
		foreground = foreground || f == foregroundFinalizer
	}
	if orphan && foreground {
		all := make([]any, len(finalizers))
		for i, v := range finalizers {
			all[i] = text(v)
		}
		c.invalid(c.path.Child("finalizers"), all, "finalizer orphan and foregroundDeletion cannot be both set")
	}
}

const (
	maxManager     = 128
	maxSubresource = 256

	applyOperation  = "Apply"
	updateOperation = "Update"
	fieldsV1        = "FieldsV1"
)

func (c *checker) managedFields(entries []any) {
	for i, v := range entries {
		m := object(v)
		at := func(key string) *field.Path { return c.path.Child("managedFields").Index(i).Child(key) }
		switch operation := text(m["operation"]); operation {
		case "":
			c.add(field.Required(at("operation"), "must not be empty"))
		case applyOperation, updateOperation:
		default:
			c.add(field.NotSupported(at("operation"), jsonText(operation), applyOperation, updateOperation))
		}
		if t := text(m["fieldsType"]); t != "" && t != fieldsV1 {
			c.invalid(at("fieldsType"), t, "must be `FieldsV1`")
		}
		manager := text(m["manager"])
		if len(manager) > maxManager {
			c.add(field.TooLong(at("manager"), maxManager))
		}
		unprintable := 0
		for i, r := range manager {
			if unicode.IsPrint(r) {
				continue
			}
			if unprintable++; unprintable > maxRepeated {
				break
			}
			c.invalid(at("manager"), manager, fmt.Sprintf("invalid character %#U (at position %d)", r, i))
		}
		if len(text(m["subresource"])) > maxSubresource {
			c.add(field.TooLong(at("subresource"), maxSubresource))
		}
	}
}

// update checks what only an update can break.
func (c *checker) update(meta, old map[string]any) {
	if instant(old["deletionTimestamp"]) != "" {
		if added := addedFinalizers(meta, old); len(added) > 0 {
			c.add(field.Forbidden(c.path.Child("finalizers"), fmt.Sprintf(
				"no new finalizers can be added if the object is being deleted, found new finalizers %#v", added)))
		}
	}
	if text(meta["resourceVersion"]) == "" && text(old["resourceVersion"]) != "" {
		c.invalid(c.path.Child("resourceVersion"), "", "must be specified for an update")
	}
	generation := integer(meta["generation"])
	c.generation(generation)
	if generation < integer(old["generation"]) {
		c.invalid(c.path.Child("generation"), generation, "must not be decremented")
	}
	for _, key := range []string{"name", "namespace"} {
		if s := text(meta[key]); s != text(old[key]) {
			c.immutable(key, s)
		}
	}
	if uid := text(meta["uid"]); uidChanged(uid, text(old["uid"])) {
		c.immutable("uid", jsonText(uid))
	}
	for _, key := range []string{"creationTimestamp", "deletionTimestamp"} {
		switch t := instant(meta[key]); {
		case t == instant(old[key]):
		case t == "":
			c.immutable(key, nil)
		default:
			c.immutable(key, t)
		}
	}
	const grace = "deletionGracePeriodSeconds"
	switch had, has := old[grace] != nil, meta[grace] != nil; {
	case has && (!had || integer(meta[grace]) != integer(old[grace])):
		c.immutable(grace, integer(meta[grace]))
	case had && !has:
		c.immutable(grace, nil)
	}
}

func (c *checker) immutable(key string, value any) {
	c.invalid(c.path.Child(key), value, "field is immutable")
}

// uidChanged: an old object without a uid is none that a server had, and has no say in it.
func uidChanged(uid, old string) bool { return old != "" && uid != old }

// addedFinalizers returns the finalizers that meta has and old has not, sorted, each once.
func addedFinalizers(meta, old map[string]any) []string {
	var added []string
	had := finalizersOf(old)
	for _, v := range list(meta["finalizers"]) {
		if f := text(v); !had.has(f) {
			added = append(added, f)
		}
	}
	slices.Sort(added)
	return slices.Compact(added)
}

// finalizers are those of one metadata, to look for some in them.
type finalizers struct {
	few  []any
	many map[string]bool
}

// finalizersOf makes a set of many finalizers, and allocates nothing for few.
func finalizersOf(meta map[string]any) finalizers {
	all := list(meta["finalizers"])
	if len(all) <= 16 {
		return finalizers{few: all}
	}
	set := make(map[string]bool, len(all))
	for _, v := range all {
		set[text(v)] = true
	}
	return finalizers{many: set}
}

func (f finalizers) has(name string) bool {
	return f.many[name] || slices.ContainsFunc(f.few, func(v any) bool { return text(v) == name })
}

// jsonText returns s as the value of an error that prints it as JSON, as the server does with strings of a type of their own, and not
// quoted as Go does. For most texts that is the same.
func jsonText(s string) any {
	b, err := json.Marshal(s)
	if err != nil || string(b) == strconv.Quote(s) {
		return s
	}
	return json.RawMessage(b)
}
