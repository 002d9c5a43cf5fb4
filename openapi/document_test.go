package openapi

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
)

// PV3-010, PV2-010: the members of the root.
func TestRoot(t *testing.T) {
	d := shirts(t, "")
	three, two := v3(t, d, "v1"), v2(t, d)
	require.Equal(t, []string{"openapi", "info", "paths", "components"}, keys(t, three))
	require.Equal(t, []string{"schemas"}, keys(t, three, "components"))
	require.Equal(t, []string{"swagger", "info", "paths", "definitions", "parameters"}, keys(t, two))
	require.Equal(t, "3.0.0", at(t, three, "openapi"))
	require.Equal(t, "2.0", at(t, two, "swagger"))
	for _, doc := range []*Document{three, two} {
		require.Equal(t, `{"title":"Kubernetes CRD Swagger","version":"v0.1.0"}`, raw(t, doc, "info"))
	}
}

func TestBytes(t *testing.T) {
	doc := v3(t, shirts(t, `{type: object, description: "<"}`), "v1")
	text := doc.AppendJSON(nil)
	require.Equal(t, len(text), doc.Size())
	require.Equal(t, "x"+string(text), string(doc.AppendJSON([]byte("x"))))
	// PV3-050: encoding/json changes nothing about version 3.
	marshalled := given.JSON(t, doc)
	require.Equal(t, string(text), string(marshalled))
	var b bytes.Buffer
	n, err := doc.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, int64(len(text)), n)
	require.Equal(t, string(text), b.String())

	// PV3-052
	require.Equal(t, fmt.Sprintf("%X", sha512.Sum512(text)), doc.Hash())
	require.Len(t, doc.Hash(), 128)
	require.Equal(t, `"`+doc.Hash()+`"`, doc.ETag())

	// Callers own the results.
	marshalled, err = doc.MarshalJSON()
	require.NoError(t, err)
	clear(marshalled)
	require.Equal(t, string(text), string(doc.AppendJSON(nil)))
}

// PV3-053, PV3-004: the index.
func TestIndex(t *testing.T) {
	one, two := v3(t, shirts(t, "{type: object}"), "v1"), v3(t, shirts(t, ""), "v1")
	index := Index(map[string]*Document{Key("shop.example.com", "v1"): one, "apis/a&b/v1": two, "version": nil})
	require.Equal(t, `{"paths":{"apis/a\u0026b/v1":{"serverRelativeURL":"/openapi/v3/apis/a\u0026b/v1?hash=`+two.Hash()+
		`"},"apis/shop.example.com/v1":{"serverRelativeURL":"/openapi/v3/apis/shop.example.com/v1?hash=`+one.Hash()+`"}}}`, string(index.AppendJSON(nil)))
	require.Equal(t, fmt.Sprintf("%X", sha512.Sum512(index.AppendJSON(nil))), index.Hash())
	require.Equal(t, `{"paths":{}}`, string(Index(nil).AppendJSON(nil)))
}

func trousers(t *testing.T) *crd.CustomResourceDefinition {
	d := shirts(t, "{type: object}")
	d.Spec.Names = crd.Names{Plural: "trousers", Kind: "Trousers", ListKind: "TrousersList"}
	d.Metadata["name"] = "trousers.shop.example.com"
	return d
}

// PV3-051: documents of one group version are merged.
func TestMergeV3(t *testing.T) {
	d, e := shirts(t, ""), trousers(t)
	e.Spec.Versions[0].Subresources = &crd.Subresources{Scale: &crd.SubresourceScale{}}
	a, b := v3(t, d, "v1"), v3(t, e, "v1")
	before := string(a.AppendJSON(nil))
	m, err := MergeV3(a, nil, b)
	require.NoError(t, err)
	require.Len(t, keys(t, m, "paths"), len(keys(t, a, "paths"))+len(keys(t, b, "paths")))
	require.Len(t, keys(t, m, "components", "schemas"), 13+3+2+2)
	for _, x := range []*Document{a, b} {
		for _, path := range keys(t, x, "paths") {
			require.Equal(t, raw(t, x, "paths", path), raw(t, m, "paths", path))
		}
	}
	require.Equal(t, before, string(a.AppendJSON(nil)))
	again, err := MergeV3(b, a)
	require.NoError(t, err)
	require.Equal(t, m.Hash(), again.Hash())
	again, err = MergeV3(m)
	require.NoError(t, err)
	require.Equal(t, m.Hash(), again.Hash())

	// A kind with the name of another kind's list.
	f := trousers(t)
	f.Spec.Names.Kind, f.Spec.Names.ListKind = "ShirtList", "ShirtListList"
	_, err = MergeV3(a, v3(t, f, "v1"))
	require.EqualError(t, err, "OpenAPI V3 merge schema conflict on com.example.shop.v1.ShirtList")
	_, err = MergeV3(a, a)
	require.EqualError(t, err, "OpenAPI V3 merge schema conflict on com.example.shop.v1.Shirt")

	// Equal paths: the last one.
	g := shirts(t, "")
	g.Spec.Names.Kind, g.Spec.Names.ListKind = "Blouse", "BlouseList"
	m, err = MergeV3(a, v3(t, g, "v1"))
	require.NoError(t, err)
	require.Equal(t, "list objects of kind Blouse", at(t, m, "paths", "/apis/shop.example.com/v1/shirts", "get", "description"))

	m, err = MergeV3()
	require.NoError(t, err)
	require.JSONEq(t, `{}`, raw(t, m, "paths"))
	_, err = MergeV3(v2(t, d))
	require.Error(t, err)
	_, err = MergeV3(Index(nil))
	require.Error(t, err)
}

// PV3-004, PV3-005, PV3-051: exactly the served versions.
func TestV3All(t *testing.T) {
	d, e := shirts(t, ""), trousers(t)
	d.Spec.Versions = append(d.Spec.Versions, crd.Version{Name: "v2", Served: true}, crd.Version{Name: "v3"}, crd.Version{Name: "v1", Served: true})
	e.Spec.Versions[0].Deprecated = true
	all, err := V3All(d, e)
	require.NoError(t, err)
	require.Len(t, all, 2)
	merged, err := MergeV3(v3(t, d, "v1"), v3(t, e, "v1"))
	require.NoError(t, err)
	require.Equal(t, merged.Hash(), all["apis/shop.example.com/v1"].Hash())
	require.Equal(t, v3(t, d, "v2").Hash(), all["apis/shop.example.com/v2"].Hash())

	// Conflicting definitions are left out.
	f := trousers(t)
	f.Spec.Names.Kind, f.Spec.Names.ListKind = "ShirtList", "ShirtListList"
	rest, err := V3All(d, f, nil, e)
	require.EqualError(t, err, "trousers.shop.example.com, version v1: OpenAPI V3 merge schema conflict on com.example.shop.v1.ShirtList\nopenapi: a nil definition")
	require.Equal(t, merged.Hash(), rest["apis/shop.example.com/v1"].Hash())
	none, err := V3All()
	require.NoError(t, err)
	require.Empty(t, none)
}

// PV2-012: all versions of all definitions in one document.
func TestV2OfSeveral(t *testing.T) {
	d, e := shirts(t, "{type: object}"), trousers(t)
	d.Spec.Versions = append(d.Spec.Versions, crd.Version{Name: "v2", Served: true})
	doc := v2(t, d, e)
	require.Len(t, keys(t, doc, "paths"), 9)
	require.Len(t, keys(t, doc, "definitions"), 13+6)
	require.Len(t, keys(t, doc, "parameters"), 22)
	require.Equal(t, doc.Hash(), v2(t, e, d).Hash())
	// The last definition of a kind is used.
	require.Equal(t, v2(t, shirts(t, "{type: object, title: new}")).Hash(), v2(t, shirts(t, "{type: object, title: old}"), shirts(t, "{type: object, title: new}")).Hash())
}
