package openapi

import (
	"errors"
	"fmt"

	"github.com/crdkit/crdkit/crd"
)

// V3 returns the OpenAPI 3.0 document of one version of a definition: the paths and schemas of that kind only. A server
// serves it, merged with those of the other kinds in the same group version (see [MergeV3] and [V3All]), at
// /openapi/v3/apis/GROUP/VERSION.
//
// The version need not be served. A version that d does not have is an error with the server's text. d is not modified,
// and the document does not retain any part of it. Building takes time linear in the schema.
func V3(d *crd.CustomResourceDefinition, version string) (*Document, error) {
	if d == nil {
		return nil, errNoDefinition
	}
	var p parts
	if err := p.add(formatV3, d, version); err != nil {
		return nil, err
	}
	return p.finish(formatV3), nil
}

// V2 returns the OpenAPI 2.0 document of all served versions of all the definitions: the part of a server's /openapi/v2
// for custom resources. It has no defaults, and omits what this format cannot express. If two definitions have the same
// paths and kinds, the last one is used. Without definitions or served versions, there are no paths. A definition of
// more than 2,000 versions is an error.
//
// The definitions are not modified, and the document does not retain any part of them. Building takes time linear in
// the schemas.
func V2(defs ...*crd.CustomResourceDefinition) (*Document, error) {
	var p parts
	for _, d := range defs {
		if err := publishable(d); err != nil {
			return nil, err
		}
		for i := range d.Spec.Versions {
			if v := &d.Spec.Versions[i]; v.Served {
				if err := p.add(formatV2, d, v.Name); err != nil {
					return nil, err
				}
			}
		}
	}
	return p.finish(formatV2), nil
}

var errNoDefinition = errors.New("openapi: a nil definition")

// maxVersions bounds the versions of a definition in a document of all of them. Each takes 25 KB without its schema.
const maxVersions = 2_000

// publishable returns an error for a definition that has no place in a document of all versions.
func publishable(d *crd.CustomResourceDefinition) error {
	if d == nil {
		return errNoDefinition
	}
	if len(d.Spec.Versions) > maxVersions {
		return fmt.Errorf("openapi: %s has more than %d versions", d.Name(), maxVersions)
	}
	return nil
}

// add adds the paths and definitions of one version.
func (p *parts) add(f format, d *crd.CustomResourceDefinition, version string) error {
	if d.APIVersion == crd.APIVersionV1beta1 {
		d = d.V1()
	}
	v := d.Version(version)
	if v == nil {
		// PV3-002
		return fmt.Errorf("version %s not found in apiextensionsv1.CustomResourceDefinition: %s", version, d.Name())
	}
	n := namesOf(d, version)
	sub := v.Subresources
	if sub == nil {
		sub = &crd.Subresources{}
	}

	p.paths = f.appendPaths(p.paths, &n, d, sub)

	shared := f.shared()
	p.schemas = append(p.schemas, shared.common...)
	if sub.Scale != nil {
		p.schemas = append(p.schemas, shared.scale...)
	}
	p.parameters = append(p.parameters, shared.parameters.shared...)
	if f == formatV2 && d.Spec.Scope == crd.NamespaceScoped {
		p.parameters = append(p.parameters, shared.parameters.namespaceOnly)
	}

	selectable := f.selectable(v.SelectableFields)
	preserve := d.Spec.PreserveUnknownFields != nil && *d.Spec.PreserveUnknownFields
	root, size := f.publishable(schemaOf(v), preserve)
	w := schemaWriter{f: f, shared: shared, b: make([]byte, 0, size+size/8+8<<10)}
	w.kind(root, extensions{kinds: f.kinds(n.group, n.Kind, version), selectable: selectable})
	if w.err != nil {
		return fmt.Errorf("openapi: schema of version %s: %w", version, w.err)
	}
	p.schemas = append(p.schemas, member{n.definition, w.b},
		member{n.listDefinition, f.appendList(nil, &n, selectable)})
	return nil
}
