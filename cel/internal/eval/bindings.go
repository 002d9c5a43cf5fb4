package eval

import (
	"maps"
	"sync"
)

// bindings has what each overload does, by its id. An overload without one refuses all values: those of an authorizer, which no rule
// has (CEN-034).
var bindings = sync.OnceValue(func() map[string]binding {
	all := make(map[string]binding)
	for _, library := range []map[string]binding{
		conversions(), texts(), patterns(), lists(), comparableLists(), sets(), optionals(), addresses(), networks(), urls(),
		quantities(), versions(), formats(), calendar(), insertions(),
	} {
		maps.Copy(all, library)
	}
	return all
})

// result makes a value of what a Go function returned.
func result[T any](make func(T) value, x T, err error) value {
	if err != nil {
		return failureOf(err)
	}
	return make(x)
}

func identity(_ *frame, a []value) value { return a[0] }
