package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// Suggestion returns a question about the word nearest to a misspelled one, after a comma, or an empty string.
func Suggestion(word string, words []string) string {
	if near := Nearest(word, words); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// Nearest returns the word that differs least from another: by at most a third of its letters, ignoring case. Of very
// many words it may compare only the first.
func Nearest(word string, words []string) string {
	const longest = 64  // of compared words, and of differences
	budget := 1_000_000 // for pairs of letters
	best, least := "", len(word)/3+1
	if len(word) > longest {
		return ""
	}
	for _, w := range words {
		if len(w) > longest || w == word {
			continue
		}
		if budget -= len(word) * len(w); budget < 0 {
			break
		}
		if n := distance(strings.ToLower(word), strings.ToLower(w)); n < least {
			best, least = w, n
		}
	}
	return best
}

// distance returns the number of insertions, deletions, changes and swaps of adjacent letters that lead from a to b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			changed := last[j]
			if s[i] != t[j] {
				changed++
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, changed)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

// properties returns the names of the fields that a schema declares, in order, each once.
func properties(n *plan.Node) (names []string) {
	if n == nil {
		return nil
	}
	for i := range n.Props {
		names = append(names, n.Props[i].Name)
	}
	if n.IsResource() {
		names = append(names, plan.ResourceFields...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// maxListed is the maximum number of fields that a hint lists.
const maxListed = 12

// UnknownFieldHints returns the hint for an unknown field of an object. root is its schema, nil if it has none.
func UnknownFieldHints(root *plan.Node, path []field.Segment) []string {
	if len(path) == 0 {
		return nil
	}
	name, around := path[len(path)-1].Key, path[:len(path)-1]
	n := constraint.NodeAt(root, around)
	known := properties(n)
	isMetadata := len(around) > 0 && around[len(around)-1].Key == "metadata"
	if isMetadata && ofResource(root, around[:len(around)-1]) {
		known = clientMetadata()
	}
	if near := Nearest(name, known); near != "" {
		return []string{fmt.Sprintf("did you mean %s?", near)}
	}
	switch {
	case len(known) > maxListed:
		return nil
	case len(known) > 0:
		return []string{"known here: " + strings.Join(known, ", ")}
	case n == nil || n.Accept&plan.KindObject == 0:
		return nil
	}
	text := field.PathOf(around...).String() + " has no properties in the schema: a server drops everything below it"
	if isMetadata && slices.Contains(clientMetadata(), name) {
		text += "; controller-gen writes those of metadata with crd:generateEmbeddedObjectMeta=true"
	}
	return []string{text}
}

// ofResource reports whether the object at a path is a resource: its metadata then has the fields of all metadata.
func ofResource(root *plan.Node, path []field.Segment) bool {
	if len(path) == 0 {
		return true
	}
	n := constraint.NodeAt(root, path)
	return n != nil && n.IsResource()
}

// clientMetadata returns the fields of metadata that clients may set, in order.
func clientMetadata() (names []string) {
	for _, m := range objectmeta.Metadata.Members {
		if !m.Server {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names
}

// definitionFields are the fields of a definition and of a schema, as suggestions.
var definitionFields = func() []string {
	// These are in no tag of an exported type.
	known := map[string]bool{"apiVersion": true, "kind": true, "webhook": true, "clientConfig": true}
	for _, t := range []*keyword.Table{keyword.Of[schema.JSONSchemaProps](), keyword.Of[schema.ValidationRule]()} {
		for _, name := range t.Names {
			known[name] = true
		}
	}
	addFields(known, reflect.TypeFor[crd.CustomResourceDefinition]())
	return slices.Sorted(maps.Keys(known))
}()

// addFields adds the keys of the fields of t, and of the structs in it.
func addFields(known map[string]bool, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		addFields(known, t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if key, _, _ := strings.Cut(cmp.Or(f.Tag.Get("key"), f.Tag.Get("v1beta1")), ","); key != "" {
				known[key] = true
				addFields(known, f.Type)
			}
		}
	}
}

// moved has the fields of v1beta1 that v1 has in another place, and that place.
var moved = map[string]string{
	"spec.conversion.webhookClientConfig":      "spec.conversion.webhook.clientConfig",
	"spec.conversion.conversionReviewVersions": "spec.conversion.webhook.conversionReviewVersions",
	"spec.version":                  "spec.versions[].name",
	"spec.validation":               "spec.versions[].schema",
	"spec.subresources":             "spec.versions[].subresources",
	"spec.additionalPrinterColumns": "spec.versions[].additionalPrinterColumns",
	"spec.selectableFields":         "spec.versions[].selectableFields",
}

// UnknownDefinitionFieldHints returns the hint for an unknown field of a definition.
func UnknownDefinitionFieldHints(path []field.Segment) []string {
	if len(path) == 0 {
		return nil
	}
	there := moved[field.PathOf(path...).String()]
	if path[len(path)-1].Key == "JSONPath" {
		there = "jsonPath"
	}
	if there != "" {
		return []string{"in apiextensions.k8s.io/v1 it is " + there}
	}
	if near := Nearest(path[len(path)-1].Key, definitionFields); near != "" {
		return []string{fmt.Sprintf("did you mean %s?", near)}
	}
	return nil
}

// ObjectHints returns the hint for an error of an object. root is its schema, nil if it has none. written returns the
// text of the value at a path if it is YAML without quotes; see [yamltext.Document.Plain]. old means that the request
// is an update.
func ObjectHints(root *plan.Node, e *field.Error, written func(path []field.Segment) (string, bool), old bool) (hints []string) {
	path := e.Path.Segments()
	if n := constraint.NodeAt(root, path); n != nil {
		hints = valueHints(n, e, func() (string, bool) { return written(path) })
		if h := null(e); h != "" && !required(root, path) {
			hints = append(hints, h)
		}
	}
	if h := overload(constraint.NodeAt(root, path), e); h != "" {
		hints = append(hints, h)
	}
	if r := constraint.RuleOf(e); r != nil && old && strings.Contains(r.Rule, "oldSelf") {
		if strings.Join(strings.Fields(r.Rule), "") == "self==oldSelf" {
			hints = append(hints, "the field is immutable, by the rule "+r.Rule)
		} else {
			hints = append(hints, "the rule compares with the stored object: "+r.Rule)
		}
	}
	return hints
}

// valueHints returns the hints for an error of a value that n describes.
func valueHints(n *plan.Node, e *field.Error, written func() (string, bool)) (hints []string) {
	if e.Type == field.ErrorTypeNotSupported && n.RareKeywords != nil && n.Enum != nil {
		if text, ok := e.BadValue.(string); ok {
			var words []string
			for _, v := range n.Enum.Values {
				if w, ok := v.(string); ok {
					words = append(words, w)
				}
			}
			if near := Nearest(text, words); near != "" {
				hints = append(hints, fmt.Sprintf("did you mean %q?", near))
			}
		}
	}
	if n.Type == "string" {
		if text, plain := written(); plain {
			if h := quoteAt(n, text); h != "" {
				hints = append(hints, h)
			}
		}
	}
	if outOfInt32(n, e) {
		hints = append(hints, "the range of int32 is enforced since Kubernetes 1.36; older servers take the value: int64 has more room")
	}
	return hints
}

// outOfInt32 reports whether e says of a number at n, or of one of its bounds, that it does not fit the format int32.
func outOfInt32(n *plan.Node, e *field.Error) bool {
	if n.Number == nil || n.Number.Ranged != plan.RangeInt32 || e.Type != field.ErrorTypeInvalid {
		return false
	}
	bound := map[string]*plan.Bound{
		origin.Minimum: n.Number.Minimum, origin.Maximum: n.Number.Maximum, origin.MultipleOf: n.Number.MultipleOf,
	}[e.Cause().Keyword]
	return e.Cause().Keyword == origin.Format || bound != nil && bound.OutOfRange
}

// null returns the hint for a null where there is an enum, or an empty string.
func null(e *field.Error) string {
	if e.Type != field.ErrorTypeNotSupported || e.BadValue != nil {
		return ""
	}
	return "leave it out: null is never one of the values of an enum, even if the enum lists it"
}

// required reports whether the last field of a path in an object must be there.
func required(root *plan.Node, path []field.Segment) bool {
	if len(path) == 0 {
		return true
	}
	last, above := path[len(path)-1], constraint.NodeAt(root, path[:len(path)-1])
	return !last.IsIndex && above != nil && slices.Contains(above.Required, last.Key)
}

// Quote returns the hint for a text that is not quoted in YAML, and therefore not a string, or an empty string.
func Quote(written string) string {
	if reads := reading(written); reads != "" {
		return "quote it: " + reads + "; write " + strconv.Quote(written)
	}
	return ""
}

// quoteAt is [Quote] for a value that n describes. It says to quote the value only if the string is valid.
func quoteAt(n *plan.Node, written string) string {
	reads := reading(written)
	switch {
	case reads == "":
	case validity.OK(n, written, validity.Schema):
		return Quote(written)
	case !strings.HasSuffix(reads, " null"):
		return reads + "; the string is not valid either"
	}
	return ""
}

// reading returns what YAML reads a text as, if that is not a string, and otherwise an empty string.
func reading(written string) string {
	if written == "" {
		return ""
	}
	converted, err := unstructured.YAMLToJSON([]byte(written))
	var v any
	if err != nil || json.Unmarshal(converted, &v) != nil {
		return ""
	}
	kind := ""
	switch v.(type) {
	case bool:
		kind = "the boolean " + string(converted)
	case float64:
		kind = "the number " + string(converted)
	case nil:
		kind = "null"
	default:
		return ""
	}
	return fmt.Sprintf("YAML reads %s as %s", written, kind)
}

// DefinitionHints returns the hint for an error of d, except for those of [RuleHints].
func DefinitionHints(d *crd.CustomResourceDefinition, e *field.Error) []string {
	if h := overload(nil, e); h != "" { // of a default
		return []string{h}
	}
	if e.Type != field.ErrorTypeNotSupported {
		return renamed(d, e.Path.Segments())
	}
	text, ok := e.BadValue.(string)
	if !ok {
		return nil
	}
	if near := Nearest(text, origin.Supported(e)); near != "" {
		return []string{fmt.Sprintf("did you mean %q?", near)}
	}
	return nil
}

// renamed returns the hint for a path whose last field has another name in a definition of v1.
func renamed(d *crd.CustomResourceDefinition, path []field.Segment) []string {
	if d.APIVersion != crd.APIVersionV1 || len(path) < 3 || path[1].Key != "conversion" {
		return nil
	}
	if there := field.PathOf(DocumentPath(d, path)...).String(); there != field.PathOf(path...).String() {
		return []string{"in apiextensions.k8s.io/v1 it is " + there}
	}
	return nil
}

// CostHints returns bounds that bring expensive rules, or all rules of a schema, under their limit: by the path of the
// rule or schema in the document.
func CostHints(costs *crdcheck.CostReport) map[string][]string {
	hints := map[string][]string{}
	for _, s := range costs.Schemas {
		hints[s.Path] = append(hints[s.Path], SchemaCostHints(&s)...)
		for i := range s.Rules {
			r := &s.Rules[i]
			hints[r.Path] = append(hints[r.Path], RuleCostHints(r)...)
		}
	}
	return hints
}

// SchemaCostHints returns bounds that bring all rules of a schema under the limit, if they cost too much.
func SchemaCostHints(s *crdcheck.SchemaCosts) []string {
	if s.Fix == nil {
		return nil
	}
	return []string{"all rules fit with " + boundsText(s.Fix.Bounds)}
}

// RuleCostHints returns hints for a rule that costs too much: bounds that bring it under the limit, and what makes it
// expensive.
func RuleCostHints(r *crdcheck.RuleCosts) (hints []string) {
	for _, f := range r.Fixes {
		hints = append(hints, "it fits with "+boundsText(f.Bounds))
	}
	for _, h := range r.Hints {
		hints = append(hints, h.Text)
	}
	return hints
}

// InDocument returns the path of a schema in the document, from that in a server's error.
func InDocument(path string) string {
	if rest, ok := strings.CutPrefix(path, "spec.validation."); ok {
		return "spec.versions[0].schema." + rest
	}
	return path
}

func boundsText(bounds []crdcheck.Bound) string {
	byPath := map[string][]string{}
	for _, b := range bounds {
		byPath[b.Path] = append(byPath[b.Path], fmt.Sprintf("%s: %d", b.Keyword, b.Value))
	}
	var parts []string
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		parts = append(parts, strings.Join(byPath[path], ", ")+" at "+path)
	}
	return strings.Join(parts, ", ")
}

// DocumentPath returns the path in the document of d for a path in a server's error. A server reports paths of the
// unversioned form of a definition, in which what all versions share is in the spec itself, and conversion webhooks and
// the paths of columns have other names.
func DocumentPath(d *crd.CustomResourceDefinition, path []field.Segment) []field.Segment {
	if len(path) < 2 || path[0].Key != "spec" || d.APIVersion != crd.APIVersionV1 {
		return path
	}
	version := []field.Segment{{Key: "spec"}, {Key: "versions"}, {Index: 0, IsIndex: true}}
	webhook := []field.Segment{{Key: "spec"}, {Key: "conversion"}, {Key: "webhook"}}
	switch rest := path[2:]; path[1].Key {
	case "validation":
		path = append(append(version, field.Segment{Key: "schema"}), rest...)
	case "subresources", "additionalPrinterColumns", "selectableFields":
		path = append(append(version, path[1]), rest...)
	case "version":
		path = append(version, field.Segment{Key: "name"})
	case "conversion":
		switch {
		case len(rest) > 0 && rest[0].Key == "webhookClientConfig":
			path = append(append(webhook, field.Segment{Key: "clientConfig"}), rest[1:]...)
		case len(rest) > 0 && rest[0].Key == "conversionReviewVersions":
			path = append(webhook, rest...)
		}
	}
	if last := len(path) - 1; last >= 2 && path[last].Key == "JSONPath" && path[last-2].Key == "additionalPrinterColumns" {
		path = append(path[:last:last], field.Segment{Key: "jsonPath"})
	}
	return path
}
