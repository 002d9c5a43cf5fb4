package plan

// A BuiltIn is a kind of objects that a server does not know from a definition. Its list maps and sets may have
// duplicate keys, and a write to its status also changes metadata. It is immutable, and its functions are safe for
// concurrent use.
type BuiltIn struct {
	// Complete returns a decoded object in the form that a server's decoder gives it, with its defaults. It does not
	// modify obj. It reports false if it would add more than that number of values.
	Complete func(obj map[string]any, values int) (out map[string]any, ok bool)
	// DecodeError returns the error with which a server's decoder refuses the JSON of an object, or nil. It may be nil.
	DecodeError func(text []byte) error
	// StatusKeeps are the members of metadata that a write to the status does not change.
	StatusKeeps []string
	// CreatesStatus says that a create may set the status.
	CreatesStatus bool
	// Fields are labels of field selectors, with their values in an object, besides the paths of selectable fields. A
	// nil function removes the label.
	Fields map[string]func(obj map[string]any) string
	// UnknownField is the format of the error for another label, or empty for the usual one.
	UnknownField string
	// Registry is how the keys of objects begin in a server's store, after the prefix of all keys. Errors have it.
	// Empty: the group and the resource.
	Registry string
	// ScaleSelector returns the label selector in the Scale of an object, or "".
	ScaleSelector func(obj map[string]any) string
}

// StatusMetadata returns the metadata of an object after a write to its status: meta, as it was sent, with the kept
// members of old. It does not modify either.
func (k *BuiltIn) StatusMetadata(meta, old map[string]any) map[string]any {
	if len(k.StatusKeeps) == 0 {
		return meta
	}
	out := make(map[string]any, len(meta))
	for name, v := range meta {
		out[name] = v
	}
	for _, name := range k.StatusKeeps {
		if v, has := old[name]; has {
			out[name] = v
		} else {
			delete(out, name)
		}
	}
	return out
}

// A GoType is the Go type of a kind's objects, for their field managers. It is immutable.
type GoType struct {
	// Zero is the JSON of the type without values. In a create, a manager owns what differs from it.
	Zero map[string]any
	// Root describes the objects, instead of the schema. It may refer to itself, through the nodes in Named. It is nil
	// if the schema describes the objects.
	Root  *Node
	Named map[*Node]string
	// Decode returns an object as the decoder of a server gives it, with its defaults. It does not modify obj. It is
	// nil if the objects of requests have that form already.
	Decode func(obj map[string]any) map[string]any
}

// A BuiltInHolder is what a resource.Resource has of a built-in kind. The zero value is that of a custom resource.
type BuiltInHolder struct {
	kind *BuiltIn
	typ  *GoType
}

func (h *BuiltInHolder) holder() *BuiltInHolder { return h }

// SetBuiltIn makes a resource one of a built-in kind, before anything uses it. kind is nil for a kind whose requests
// are handled as those of custom resources. Only packages of this module can call it, so it is no method of the
// resource.
func SetBuiltIn(of interface{ holder() *BuiltInHolder }, kind *BuiltIn, typ *GoType) {
	*of.holder() = BuiltInHolder{kind, typ}
}

// BuiltInOf returns the kind of a resource, or nil.
func BuiltInOf(of interface{ holder() *BuiltInHolder }) *BuiltIn { return of.holder().kind }

// GoTypeOf returns the Go type of a resource's objects, or nil.
func GoTypeOf(of interface{ holder() *BuiltInHolder }) *GoType { return of.holder().typ }
