package gen

import "encoding/json"

// Definition returns a CustomResourceDefinition of version v1 or v1beta1 as JSON data. Most of it is valid.
func Definition(s *Source) map[string]any {
	if s.OneIn(3) {
		return definitionV1beta1(s)
	}
	return definitionV1(s, Schemas{})
}

// DefinitionV1 returns a definition of group g.io and kind K with one version, v1, and the schema p.
func DefinitionV1(s *Source, p map[string]any) map[string]any {
	version := map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": p}}
	if s.OneIn(2) {
		version["subresources"] = map[string]any{"status": map[string]any{}}
	}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "ks.g.io"},
		"spec": map[string]any{
			"group": "g.io", "scope": Pick(s, []string{"Namespaced", "Cluster"}),
			"names": map[string]any{"plural": "ks", "kind": "K"}, "versions": []any{version},
		},
	}
}

func definitionV1(s *Source, o Schemas) map[string]any {
	versions := []any{}
	for range s.Intn(3) {
		v := map[string]any{"name": Version(s), "served": s.Intn(2) == 1, "storage": s.Intn(2) == 1}
		optional(s, 3, v, "deprecated", true)
		optional(s, 6, v, "deprecationWarning", Text(s))
		optional(s, 6, v, "selectableFields", []any{map[string]any{"jsonPath": ".spec.a"}})
		v["schema"] = map[string]any{"openAPIV3Schema": Schema(s, o)}
		if s.OneIn(8) {
			v["schema"] = Pick(s, []any{nil, map[string]any{}})
		}
		if s.OneIn(2) {
			v["subresources"] = subresources(s)
		}
		if s.OneIn(3) {
			v["additionalPrinterColumns"] = columns(s, "jsonPath")
		}
		if len(versions) > 0 {
			likeFirst(s, v, versions[0].(map[string]any))
		}
		versions = append(versions, v)
	}
	spec := map[string]any{"group": Pick(s, []string{"g.io", "", "G"}), "names": definedNames(s), "scope": Pick(s, []string{"Namespaced", "Cluster", ""}), "versions": versions}
	optional(s, 4, spec, "preserveUnknownFields", s.Intn(2) == 1)
	if s.OneIn(3) {
		c := map[string]any{"strategy": Pick(s, []string{"None", "Webhook", ""})}
		if s.OneIn(2) {
			c["webhook"] = map[string]any{"conversionReviewVersions": []any{"v1"}, "clientConfig": clientConfig(s)}
		}
		spec["conversion"] = c
	}
	return definition(s, "apiextensions.k8s.io/v1", spec)
}

// likeFirst makes parts of a version equal, or nearly equal, to those of the first one: then a server has them once
// (BET-002).
func likeFirst(s *Source, v, first map[string]any) {
	for _, k := range []string{"schema", "subresources", "additionalPrinterColumns", "selectableFields"} {
		part, has := first[k]
		if !s.OneIn(2) {
			continue
		}
		if !has {
			delete(v, k)
			continue
		}
		v[k] = part
		if m, ok := part.(map[string]any); ok && s.OneIn(4) {
			v[k] = Replace(s, m)
		}
	}
}

func definitionV1beta1(s *Source) map[string]any {
	spec := map[string]any{"group": "g.io", "names": definedNames(s)}
	optional(s, 2, spec, "version", Version(s))
	optional(s, 2, spec, "scope", Pick(s, []string{"Namespaced", "Cluster"}))
	optional(s, 3, spec, "preserveUnknownFields", s.Intn(2) == 1)
	optional(s, 2, spec, "validation", map[string]any{"openAPIV3Schema": Schema(s, Schemas{Wild: true})})
	if s.OneIn(3) {
		spec["subresources"] = subresources(s)
	}
	if s.OneIn(3) {
		spec["additionalPrinterColumns"] = columns(s, "JSONPath")
	}
	if s.OneIn(2) {
		versions := []any{}
		for range s.Intn(3) {
			v := map[string]any{"name": Version(s), "served": s.Intn(2) == 1, "storage": s.Intn(2) == 1}
			optional(s, 3, v, "schema", map[string]any{"openAPIV3Schema": Schema(s, Schemas{})})
			if s.OneIn(4) {
				v["subresources"] = subresources(s)
			}
			if s.OneIn(4) {
				v["additionalPrinterColumns"] = columns(s, "JSONPath")
			}
			versions = append(versions, v)
		}
		spec["versions"] = versions
	}
	if s.OneIn(3) {
		c := map[string]any{"strategy": Pick(s, []string{"None", "Webhook"})}
		if s.OneIn(2) {
			c["webhookClientConfig"] = clientConfig(s)
		}
		optional(s, 2, c, "conversionReviewVersions", []any{"v1beta1"})
		spec["conversion"] = c
	}
	return definition(s, "apiextensions.k8s.io/v1beta1", spec)
}

func definition(s *Source, apiVersion string, spec map[string]any) map[string]any {
	d := map[string]any{"apiVersion": apiVersion, "kind": "CustomResourceDefinition", "spec": spec}
	if !s.OneIn(4) {
		d["metadata"] = Object{Source: s, Odd: 20}.Metadata()
	}
	if s.OneIn(3) {
		status := map[string]any{"storedVersions": []any{"v1"}}
		optional(s, 2, status, "acceptedNames", definedNames(s))
		optional(s, 2, status, "conditions", []any{map[string]any{
			"type": "Established", "status": "True", "lastTransitionTime": Pick(s, moments), "reason": "r", "message": "m", "observedGeneration": int64(2),
		}})
		optional(s, 8, status, "observedGeneration", int64(3))
		d["status"] = status
	}
	return d
}

func optional(s *Source, n int, m map[string]any, key string, v any) {
	if s.OneIn(n) {
		m[key] = v
	}
}

func definedNames(s *Source) map[string]any {
	m := map[string]any{"plural": "ks", "kind": Pick(s, []string{"K", "", "Äb"})}
	optional(s, 3, m, "singular", "k")
	optional(s, 3, m, "listKind", "KList")
	optional(s, 3, m, "shortNames", []any{"x"})
	optional(s, 4, m, "categories", []any{})
	return m
}

func subresources(s *Source) any {
	m := map[string]any{}
	optional(s, 2, m, "status", Pick(s, []any{map[string]any{}, nil}))
	if s.OneIn(2) {
		scale := map[string]any{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
		optional(s, 2, scale, "labelSelectorPath", ".status.selector")
		m["scale"] = scale
	}
	return m
}

func columns(s *Source, path string) []any {
	l := []any{}
	for range s.Intn(3) {
		c := map[string]any{"name": Text(s), "type": "string", path: ".spec.a"}
		optional(s, 3, c, "priority", json.Number(Pick(s, []string{"1", "0", "-1", "2147483647"})))
		optional(s, 3, c, "format", "date")
		optional(s, 3, c, "description", "text")
		l = append(l, c)
	}
	return l
}

func clientConfig(s *Source) map[string]any {
	m := map[string]any{}
	optional(s, 2, m, "url", "https://x")
	optional(s, 3, m, "caBundle", Pick(s, []string{"Zm9v", "", "?"}))
	if s.OneIn(2) {
		service := map[string]any{"name": "n", "namespace": "ns"}
		optional(s, 2, service, "port", int64(Pick(s, []int{443, 0, 8443})))
		optional(s, 2, service, "path", "/p")
		m["service"] = service
	}
	return m
}
