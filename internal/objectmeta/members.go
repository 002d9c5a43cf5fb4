package objectmeta

import (
	"slices"
	"strings"
)

// This file has the table of the members of metadata. Reading, converting, preparing and reporting unknown fields follow it; the rules for
// values are in rules.go.

// An Object is the members of one type of object.
type Object struct {
	Members []Member // in the order of the fields of the server's Go struct

	goType string    // the name of that struct
	byName []*Member // sorted by name: the order in which the server's decoder meets them
}

// A Member is a key that objects of a type may have.
type Member struct {
	Name  string
	Kind  Kind
	Items *Object // the items of an [ObjectList]

	// Required: it is always written, also the zero value. (Others are dropped then.)
	Required bool

	onCreate, onUpdate action
	rule               rule

	// As the errors of the server's decoder name them.
	goType  string // its type, if that is not the usual one of its kind
	goField string // its place
}

// A Kind is the type of a member. The zero values of pointers are null, and so they may hold what is zero for others.
type Kind uint8

// The kinds of members.
const (
	String Kind = iota
	Integer
	IntegerPointer
	BoolPointer
	Time
	TimePointer // of which the zero time is written as null
	JSON        // any value
	StringMap
	StringList
	ObjectList
)

// An action is what a server does on a request with the value that was sent.
type action uint8

const (
	keep    action = iota
	drop           // it is taken out
	retain         // the old value stays, if there is one
	inherit        // the old value is taken if none was sent
	examine        // it may be changed, or cause a warning
)

// Metadata is the members of metadata. Generation has rules of its own: see [PrepareCreate] and [Retain].
var Metadata = newObject("ObjectMeta", "",
	Member{Name: "name"},
	Member{Name: "generateName"},
	Member{Name: "namespace"},
	Member{Name: "selfLink", onCreate: drop, onUpdate: drop},
	Member{Name: "uid", goType: "types.UID", onCreate: drop, onUpdate: inherit},
	Member{Name: "resourceVersion"},
	Member{Name: "generation", Kind: Integer, rule: checkGeneration},
	Member{Name: "creationTimestamp", Kind: Time, onCreate: drop, onUpdate: retain},
	Member{Name: "deletionTimestamp", Kind: TimePointer, onCreate: drop, onUpdate: retain},
	Member{Name: "deletionGracePeriodSeconds", Kind: IntegerPointer, onCreate: drop, onUpdate: inherit},
	Member{Name: "labels", Kind: StringMap, rule: checkLabels},
	Member{Name: "annotations", Kind: StringMap, rule: checkAnnotations},
	Member{Name: "ownerReferences", Kind: ObjectList, onCreate: examine, onUpdate: examine, rule: checkOwners, Items: newObject("OwnerReference", "ownerReferences.",
		Member{Name: "apiVersion", Required: true},
		Member{Name: "kind", Required: true},
		Member{Name: "name", Required: true},
		Member{Name: "uid", Required: true, goType: "types.UID"},
		Member{Name: "controller", Kind: BoolPointer},
		Member{Name: "blockOwnerDeletion", Kind: BoolPointer},
	)},
	Member{Name: "finalizers", Kind: StringList, onCreate: examine, rule: checkFinalizers},
	Member{Name: "managedFields", Kind: ObjectList, onCreate: examine, onUpdate: examine, rule: checkManagedFields, Items: newObject("ManagedFieldsEntry", "managedFields.",
		Member{Name: "manager"},
		Member{Name: "operation", goType: "v1.ManagedFieldsOperationType"},
		Member{Name: "apiVersion"},
		Member{Name: "time", Kind: TimePointer},
		Member{Name: "fieldsType"},
		Member{Name: "fieldsV1", Kind: JSON, goType: "v1.FieldsV1"},
		Member{Name: "subresource"},
	)},
)

// newObject returns an object whose Go struct has that name. In errors, path stands between it and a key.
func newObject(goType, path string, members ...Member) *Object {
	o := &Object{goType: goType, Members: members}
	for i := range members {
		m := &members[i]
		m.goField = goType + "." + path + m.Name
		switch {
		case m.goType != "":
		case m.Kind == Integer || m.Kind == IntegerPointer:
			m.goType = "int64"
		case m.Kind == BoolPointer:
			m.goType = "bool"
		case m.Kind == StringMap:
			m.goType = "map[string]string"
		case m.Kind == StringList:
			m.goType = "[]string"
		case m.Kind == ObjectList:
			m.goType = "[]v1." + m.Items.goType
		default:
			m.goType = "string" // times are decoded from one
		}
		o.byName = append(o.byName, m)
	}
	slices.SortFunc(o.byName, func(a, b *Member) int { return strings.Compare(a.Name, b.Name) })
	return o
}

// member returns the member with that name, nil if there is none. Names are case-sensitive.
func (o *Object) member(name string) *Member {
	for i := range o.Members {
		if o.Members[i].Name == name {
			return &o.Members[i]
		}
	}
	return nil
}
