package eval

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Rows of the table say how their overload is run, and those that one call may mean agree on how it is planned: the
// first speaks for all.
func TestTable(t *testing.T) {
	type form struct {
		name   string
		method bool
		args   int
	}
	ids, first := map[string]bool{}, map[form]*Overload{}
	for _, f := range Functions(true) {
		for _, o := range f.Overloads {
			require.False(t, ids[o.ID], o.ID)
			ids[o.ID] = true
			require.Same(t, o, OverloadByID(o.ID))
			require.True(t, o.run != nil || o.plan != nil, "%s is run or planned", o.ID)
			at := form{f.Name, o.Method, len(o.Args)}
			same := first[at]
			if same == nil {
				first[at] = o
				continue
			}
			// The flags that concern a single overload may differ.
			const each = bySize | once | folds
			require.Equal(t, same.flags&^each, o.flags&^each, o.ID)
			require.Equal(t, same.plan == nil, o.plan == nil, o.ID)
			require.Equal(t, same.special == nil, o.special == nil, o.ID)
			require.Equal(t, same.shared == nil, o.shared == nil, o.ID)
			require.Equal(t, same.late, o.late, o.ID)
		}
	}
	newest := map[string]bool{}
	for _, f := range Functions(false) {
		for _, o := range f.Overloads {
			newest[o.ID] = true
			require.True(t, ids[o.ID], "stored expressions may call what new ones may: %s", o.ID)
		}
	}
	require.Len(t, newest, len(ids)-1)
	require.False(t, newest["list_includes_dyn_dyn"])
	require.Nil(t, OverloadsOf("nothing"))
	require.Nil(t, OverloadByID("nothing"))
}
