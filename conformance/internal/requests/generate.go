// Package requests generates the scenarios that are compared: definitions, most of them valid, and requests for their
// objects.
package requests

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/scenario"
	"github.com/crdkit/crdkit/parity/gen"
)

const (
	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	definition  = definitions + "/ks." + scenario.Group
)

// Generate returns the scenario of a seed with a number. It is the same on each machine.
func Generate(seed, number uint64) scenario.Scenario {
	w := &writer{Source: gen.Seeded(seed, number)}
	switch number % 8 {
	case 0, 1, 2:
		w.objects(func() map[string]any { return gen.Schema(w.Source, gen.Schemas{}) }, gen.Object{Source: w.Source, Odd: 8}.Whole)
	case 3, 4, 5:
		w.objects(func() map[string]any {
			p := gen.RuledSchema(w.Source)
			gen.AddRules(w.Source, p, 8)
			return p
		}, gen.Ruled{Source: w.Source, Odd: 30}.Whole)
	case 6:
		w.definitions()
	case 7:
		w.managers()
	}
	return scenario.Scenario{Name: fmt.Sprintf("%d/%d", seed, number), Requests: w.requests}
}

// A writer writes the requests of a scenario.
type writer struct {
	*gen.Source
	requests []scenario.Request
}

// add adds a request.
func (w *writer) add(area, method, path, contentType string, body any) {
	r := scenario.Request{Area: area, Method: method, Path: path, ContentType: contentType}
	if body != nil {
		text, err := json.Marshal(gen.InJSON(body))
		if err != nil {
			panic(err) // the generator makes JSON data only
		}
		r.Body = text
	}
	w.requests = append(w.requests, r)
}

const (
	inJSON     = "application/json"
	mergePatch = "application/merge-patch+json"
	jsonPatch  = "application/json-patch+json"
	applyPatch = "application/apply-patch+yaml"
)

// objects writes a definition, of which most are valid, and requests for its objects. In half of them the objects are
// stored in a version without constraints, so that an update finds an old object that is not valid.
func (w *writer) objects(schema func() map[string]any, whole func(map[string]any) map[string]any) {
	unchecked := w.OneIn(6)
	var d, p map[string]any
	for range 40 {
		p = schema()
		d = w.definition(p)
		if unchecked || accepted(d) {
			break
		}
	}
	w.add("definition", "POST", definitions, inJSON, d)
	spec := d["spec"].(map[string]any)
	versions := []string{"v1"}
	for _, v := range spec["versions"].([]any)[1:] {
		versions = append(versions, v.(map[string]any)["name"].(string))
	}
	in := "/ks"
	if spec["scope"] == "Namespaced" {
		in = "/namespaces/ns/ks"
	}
	path := func(version, rest string, query ...string) string {
		query = append(query, "fieldManager=m")
		return "/apis/" + scenario.Group + "/" + version + in + rest + "?" + strings.Join(query, "&")
	}
	object := func(version, name string) map[string]any {
		o := whole(p)
		o["apiVersion"], o["kind"] = scenario.Group+"/"+version, "K"
		meta, ok := o["metadata"].(map[string]any)
		if !ok || w.OneIn(2) {
			meta = map[string]any{}
		}
		o["metadata"] = meta
		delete(meta, "generateName")
		if meta["name"] == nil || meta["name"] == "" || !w.OneIn(8) {
			meta["name"] = name
		}
		if version == "loose" || !w.OneIn(6) {
			delete(meta, "namespace")
		}
		delete(meta, "resourceVersion")
		return o
	}
	var existing []map[string]any // as they were sent, which may have been refused
	for i := range 2 + w.Intn(3) {
		o := object(versions[len(versions)-1], fmt.Sprint("n", i))
		o["metadata"].(map[string]any)["name"] = fmt.Sprint("n", i)
		area, query := "create", w.fieldValidation()
		w.add(area, "POST", path(versions[len(versions)-1], "", query...), inJSON, o)
		existing = append(existing, o)
	}
	for range 4 + w.Intn(8) {
		i := w.Intn(len(existing))
		name, old := fmt.Sprint("n", i), existing[i]
		version := gen.Pick(w.Source, versions)
		if w.OneIn(2) {
			version = "v1"
		}
		var next map[string]any
		if w.OneIn(3) {
			next = object(version, name)
		} else {
			next = gen.Replace(w.Source, old)
		}
		next["apiVersion"], next["kind"] = scenario.Group+"/"+version, "K"
		if meta, ok := next["metadata"].(map[string]any); ok {
			meta = maps.Clone(meta)
			meta["resourceVersion"] = "@"
			next["metadata"] = meta
		}
		switch w.Intn(12) {
		case 0, 1:
			w.add("create", "POST", path(version, "", append(w.fieldValidation(), "dryRun=All")...), inJSON, object(version, "fresh"))
		default: // 2, 3, 4
			w.add("update", "PUT", path(version, "/"+name, w.fieldValidation()...), inJSON, next)
		case 5:
			w.add("status", "PUT", path(version, "/"+name+"/status"), inJSON, next)
		case 6:
			w.add("patch", "PATCH", path(version, "/"+name+w.status()), mergePatch, w.part(next))
		case 7:
			w.add("patch", "PATCH", path(version, "/"+name+w.status()), jsonPatch, w.operations(old))
		case 8:
			if meta, ok := next["metadata"].(map[string]any); ok {
				delete(meta, "resourceVersion")
			}
			w.add("apply", "PATCH", path(version, "/"+name+w.status(), "force="+strconv.FormatBool(w.OneIn(2))), applyPatch, next)
		case 9:
			w.add("read", "GET", path(version, "/"+name+w.status()), "", nil)
		case 10:
			w.add("read", "GET", path(version, "", "as=Table"), "", nil)
		case 11:
			if w.OneIn(2) {
				w.add("scale", "GET", path(version, "/"+name+"/scale"), "", nil)
				continue
			}
			w.add("scale", "PATCH", path(version, "/"+name+"/scale"), mergePatch, map[string]any{"spec": map[string]any{"replicas": gen.Pick(w.Source, []any{0, 1, 3, -1, 1.5, "2", nil})}})
		}
		if w.OneIn(3) {
			existing[i] = next
		}
	}
}

func (w *writer) fieldValidation() []string {
	return gen.Pick(w.Source, [][]string{nil, nil, nil, {"fieldValidation=Strict"}, {"fieldValidation=Ignore"}})
}

func (w *writer) status() string { return gen.Pick(w.Source, []string{"", "", "", "/status"}) }

// part returns a merge patch: some fields of an object, with some removed.
func (w *writer) part(o map[string]any) map[string]any {
	out := map[string]any{}
	for _, k := range slices.Sorted(maps.Keys(o)) {
		switch v := o[k].(type) {
		case map[string]any:
			if k == "metadata" {
				continue
			}
			if !w.OneIn(3) {
				out[k] = w.part(v)
			}
		default:
			if w.OneIn(6) {
				out[k] = nil
			} else if w.OneIn(2) {
				out[k] = v
			}
		}
	}
	return out
}

// operations returns a JSON patch for an object.
func (w *writer) operations(o map[string]any) []any {
	var all []any
	for range 1 + w.Intn(3) {
		op := map[string]any{"op": gen.Pick(w.Source, []string{"add", "replace", "remove", "test", "copy", "move"}), "path": w.pointer(o)}
		switch op["op"] {
		case "copy", "move":
			op["from"] = w.pointer(o)
		case "remove":
		default:
			op["value"] = gen.Any(w.Source, 2)
		}
		all = append(all, op)
	}
	return all
}

// pointer returns the JSON pointer of something in v, or of nothing.
func (w *writer) pointer(v any) string {
	escaped := strings.NewReplacer("~", "~0", "/", "~1")
	text := ""
	for {
		switch x := v.(type) {
		case map[string]any:
			names := slices.Sorted(maps.Keys(x))
			if len(names) == 0 || w.OneIn(12) {
				return text + "/" + gen.Pick(w.Source, []string{"a", "-", "0", "spec", "x~y", ""})
			}
			k := gen.Pick(w.Source, names)
			text, v = text+"/"+escaped.Replace(k), x[k]
		case []any:
			if len(x) == 0 || w.OneIn(4) {
				return text + "/" + gen.Pick(w.Source, []string{"0", "-", "1", "-1", "01", "a"})
			}
			i := w.Intn(len(x))
			text, v = text+"/"+fmt.Sprint(i), x[i]
		default:
			return text
		}
		if w.OneIn(3) {
			return text
		}
	}
}

// definition returns a definition with the schema p in version v1, and perhaps other versions.
func (w *writer) definition(p map[string]any) map[string]any {
	d := gen.DefinitionV1(w.Source, p)
	spec := d["spec"].(map[string]any)
	v1 := spec["versions"].([]any)[0].(map[string]any)
	if w.OneIn(3) {
		subresources, _ := v1["subresources"].(map[string]any)
		if subresources == nil {
			subresources = map[string]any{}
		}
		subresources["scale"] = map[string]any{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}
		v1["subresources"] = subresources
	}
	if w.OneIn(3) {
		v1["additionalPrinterColumns"] = []any{
			map[string]any{"name": "A", "type": gen.Pick(w.Source, []string{"string", "integer", "number", "boolean", "date"}), "jsonPath": gen.Pick(w.Source, []string{".spec", ".spec.a", ".a", ".b[0]", ".metadata.name", ".c.*"})},
			map[string]any{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
		}
	}
	if w.OneIn(6) {
		v1["deprecated"] = true
		if w.OneIn(2) {
			v1["deprecationWarning"] = gen.Pick(w.Source, []string{"use v2", "a \"b\"", "ä"})
		}
	}
	if w.OneIn(2) {
		v1["storage"] = false
		loose := map[string]any{
			"name": "loose", "served": true, "storage": true,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
		}
		spec["versions"] = []any{v1, loose}
	}
	return d
}

// accepted reports whether the library has nothing against a definition. It only chooses among what is generated.
func accepted(d map[string]any) bool {
	text, err := json.Marshal(d)
	if err != nil {
		return false
	}
	parsed, err := crd.Parse(text)
	return err == nil && len(crdcheck.Validate(parsed)) == 0
}

// definitions writes definitions with mistakes, as they are created and updated.
func (w *writer) definitions() {
	for range 5 {
		d := gen.DefinitionV1(w.Source, gen.Schema(w.Source, gen.Schemas{Wild: w.OneIn(2)}))
		switch w.Intn(3) {
		case 0:
			for d = gen.Definition(w.Source); d["apiVersion"] != "apiextensions.k8s.io/v1"; {
				d = gen.Definition(w.Source)
			}
			d["metadata"] = map[string]any{"name": "ks." + scenario.Group}
		case 1:
			p := gen.RuledSchema(w.Source)
			gen.AddRules(w.Source, p, 8)
			d = w.definition(p)
		}
		if w.OneIn(3) {
			d["spec"] = gen.Replace(w.Source, d["spec"].(map[string]any))
		}
		w.add("definition", "POST", definitions+"?dryRun=All&fieldManager=m", inJSON, d)
	}
	var d map[string]any
	for range 60 {
		p := gen.Schema(w.Source, gen.Schemas{})
		if w.OneIn(2) {
			p = gen.RuledSchema(w.Source)
			gen.AddRules(w.Source, p, 8)
		}
		if d = w.definition(p); accepted(d) {
			break
		}
	}
	w.add("definition", "POST", definitions, inJSON, d)
	for range 6 {
		next := maps.Clone(d)
		next["spec"] = gen.Replace(w.Source, d["spec"].(map[string]any))
		next["metadata"] = map[string]any{"name": "ks." + scenario.Group, "resourceVersion": "@"}
		w.add("definition update", "PUT", definition+"?dryRun=All&fieldManager=m", inJSON, next)
	}
}

// managers writes what several managers do to an object.
func (w *writer) managers() {
	f := gen.Flow{Source: w.Source}
	d, schemas := f.Definition()
	w.add("definition", "POST", definitions, inJSON, d)
	for _, step := range f.Steps(schemas) {
		s := step.(map[string]any)
		object := s["object"].(map[string]any)
		version, verb := s["version"].(string), s["verb"].(string)
		object["apiVersion"], object["kind"] = scenario.Group+"/"+version, "K"
		meta := object["metadata"].(map[string]any)
		path := "/apis/" + scenario.Group + "/" + version + "/namespaces/ns/ks/n"
		if s["status"] == true {
			path += "/status"
		}
		query := "?fieldManager=" + s["manager"].(string)
		switch verb {
		case "apply":
			w.add("apply", "PATCH", path+query, applyPatch, object)
		case "force":
			w.add("apply", "PATCH", path+query+"&force=true", applyPatch, object)
		case "patch":
			w.add("apply", "PATCH", path+query, mergePatch, object)
		case "update", "same":
			meta["resourceVersion"] = "@"
			w.add("apply", "PUT", path+query, inJSON, object)
		case "scale", "applyScale":
			scale := map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "n", "namespace": "ns"}, "spec": map[string]any{"replicas": s["replicas"]}}
			path = strings.TrimSuffix(path, "/status") + "/scale" + query
			if verb == "scale" {
				w.add("apply", "PATCH", path, mergePatch, scale)
			} else {
				w.add("apply", "PATCH", path+"&force="+fmt.Sprint(s["force"]), applyPatch, scale)
			}
		}
	}
}
