package objectmeta

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/field"
)

// An Object lists the members of one type of object.
type Object struct {
	Members []*Member // in the order of the fields of the server's Go struct
	ByName  []*Member // sorted by name: the order in which the server decodes them

	goType string // the name of that struct
}

// A Member is a key that objects of a type may have.
type Member struct {
	Name     string
	Kind     Kind
	Required bool // the server writes it even if it is empty
	Server   bool // only a server sets it

	createOnly         bool // [ValidateUpdate] does not repeat its check
	onCreate, onUpdate action

	Items *Object // of an ObjectList: the type of its items
	check check   // of the value alone

	// The rules of a StringMap, which check uses:
	entry   func(key, value string) bool // of each entry
	maxSize int                          // of all keys and values in bytes, 0 for no limit

	goType  string // the Go type in errors of the server's decoder, if it is not the default for the kind
	goField string // the Go field in these errors
}

// A Kind is the type of a member. The zero value of a member is not written, unless it is required. The zero value of a
// pointer is null.
type Kind uint8

// The kinds of members.
const (
	String Kind = iota
	Integer
	IntegerPointer
	BoolPointer
	Time
	TimePointer // The zero time is written as null.
	JSON        // any value
	StringMap
	StringList
	ObjectList
)

// A check returns what is wrong with the value of a member, nil if there is none. It allocates nothing for a valid
// value. path is that of the metadata.
type check func(server Server, path *field.Path, v any) field.List

// An action says what a create or an update does with a member, as a set of bits. Zero keeps the value that was sent.
type action uint8

const (
	drop      action = 1 << iota // the value that was sent is removed
	generate                     // the server sets it in every object
	retain                       // the old value replaces it, if there is one
	inherit                      // the old value is used if none was sent
	examine                      // it may be changed, cause a warning, or complete a deletion
	immutable                    // it must not change
	once                         // it must not change, but may be set if there is no old value
)

// Generated reports whether a create sets the member in every object, whatever was sent.
func (m *Member) Generated() bool { return m.onCreate&generate != 0 }

// Metadata lists the members of metadata. The generation is set by [PrepareCreate] and [Retain].
var Metadata = newObject("ObjectMeta", "", []*Member{
	{Name: "name", onUpdate: immutable},
	{Name: "generateName"},
	{Name: "namespace", onUpdate: immutable},
	{Name: "selfLink", Server: true, onCreate: drop, onUpdate: drop},
	{Name: "uid", goType: "types.UID", Server: true, onCreate: drop | generate, onUpdate: inherit | once},
	{Name: "resourceVersion", Server: true, onCreate: examine | generate},
	{Name: "generation", Kind: Integer, Server: true, check: checkGeneration, createOnly: true, onCreate: generate},
	{Name: "creationTimestamp", Kind: Time, Server: true, onCreate: drop | generate, onUpdate: retain | immutable},
	{Name: "deletionTimestamp", Kind: TimePointer, Server: true, onCreate: drop, onUpdate: retain | examine | immutable},
	{
		Name: "deletionGracePeriodSeconds", Kind: IntegerPointer, Server: true,
		onCreate: drop, onUpdate: inherit | immutable,
	},
	{Name: "labels", Kind: StringMap, check: checkLabels, entry: ValidLabel},
	{Name: "annotations", Kind: StringMap, check: checkAnnotations, entry: validAnnotation, maxSize: MaxAnnotations},
	{
		Name: "ownerReferences", Kind: ObjectList, Items: owners, check: checkOwners,
		onCreate: examine, onUpdate: examine,
	},
	{Name: "finalizers", Kind: StringList, check: checkFinalizers, createOnly: true, onCreate: examine},
	{
		Name: "managedFields", Kind: ObjectList, Items: managers, Server: true, check: checkManagedFields,
		onCreate: examine | generate, onUpdate: examine,
	},
})

var owners = newObject("OwnerReference", "ownerReferences.", []*Member{
	{Name: "apiVersion", Required: true},
	{Name: "kind", Required: true},
	{Name: "name", Required: true},
	{Name: "uid", Required: true, goType: "types.UID"},
	{Name: "controller", Kind: BoolPointer},
	{Name: "blockOwnerDeletion", Kind: BoolPointer},
})

var managers = newObject("ManagedFieldsEntry", "managedFields.", []*Member{
	{Name: "manager"},
	{Name: "operation", goType: "v1.ManagedFieldsOperationType"},
	{Name: "apiVersion"},
	{Name: "time", Kind: TimePointer},
	{Name: "fieldsType"},
	{Name: "fieldsV1", Kind: JSON, goType: "v1.FieldsV1"},
	{Name: "subresource"},
})

var goTypes = [...]string{
	String: "string", Integer: "int64", IntegerPointer: "int64", BoolPointer: "bool",
	Time: "string", TimePointer: "string", StringMap: "map[string]string", StringList: "[]string", ObjectList: "[]v1.",
}

// newObject returns the Object of the Go struct called goType. Errors print path between the names of the struct and a
// field.
func newObject(goType, path string, members []*Member) *Object {
	for _, m := range members {
		m.goField = goType + "." + path + m.Name
		m.goType = cmp.Or(m.goType, goTypes[m.Kind])
		if m.Items != nil {
			m.goType += m.Items.goType
		}
	}
	byName := slices.SortedFunc(slices.Values(members), func(a, b *Member) int { return strings.Compare(a.Name, b.Name) })
	return &Object{Members: members, goType: goType, ByName: byName}
}

// member returns the member with that name, nil if there is none. Names are case-sensitive.
func (o *Object) member(name string) *Member {
	for _, m := range o.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// NewKeys returns a pointer to a new struct with the keys of [Metadata], for the strict decoder of sigs.k8s.io/json: it
// reports keys that a struct does not have, and duplicate keys. The decoded values are not used.
func NewKeys() any { return reflect.New(keys()).Interface() }

var keys = sync.OnceValue(Metadata.keys)

// keys returns the type of a struct with the keys of o. The decoder checks keys only in objects, string maps and lists
// of objects.
func (o *Object) keys() reflect.Type {
	fields := make([]reflect.StructField, len(o.Members))
	for i, m := range o.Members {
		t := reflect.TypeFor[json.RawMessage]()
		switch m.Kind {
		case StringMap:
			t = reflect.MapOf(reflect.TypeFor[string](), t)
		case ObjectList:
			t = reflect.SliceOf(m.Items.keys())
		}
		name := strings.ToUpper(m.Name[:1]) + m.Name[1:]
		fields[i] = reflect.StructField{Name: name, Type: t, Tag: reflect.StructTag(`json:"` + m.Name + `"`)}
	}
	return reflect.StructOf(fields)
}

// inOrder returns the JSON of m, which is as [Read] returns an object of o, with the keys in the order of the server's
// struct.
func (o *Object) inOrder(m map[string]any) json.RawMessage {
	var parts []string
	for _, f := range o.Members {
		if v, ok := m[f.Name]; ok {
			b, _ := json.Marshal(map[string]any{f.Name: v})
			parts = append(parts, string(b[1:len(b)-1]))
		}
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}
