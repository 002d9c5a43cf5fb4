package check

import (
	"slices"
	"sync"

	"github.com/google/cel-go/common/types"
)

// A Signature is an overload of a function. Of a method, the first argument is the receiver.
type Signature struct {
	ID     string
	Method bool
	Args   []*types.Type
}

// Signatures returns the overloads of a function among the stored expressions' functions, in the order in which a call tries them; nil
// for an unknown name. The result is shared.
func Signatures(function string) []Signature { return storedOverloads()[function] }

var storedOverloads = sync.OnceValue(func() map[string][]Signature {
	all := make(map[string][]Signature)
	for _, f := range libraries(environment{stored: true}) {
		for _, o := range f.overloads {
			all[f.name] = append(all[f.name], Signature{ID: o.id, Method: o.method, Args: o.args})
		}
	}
	for name, list := range all {
		all[name] = slices.Clip(list)
	}
	return all
})
