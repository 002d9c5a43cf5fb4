package since_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/since"
)

// areas has all areas of the table.
var areas = []since.Area{since.Function, since.Field, since.Estimate, since.Object, since.Text, since.Metadata, since.Warning}

// A profile has the facts of its minor version.
func TestProfile(t *testing.T) {
	for m := since.Oldest; m <= since.Last; m++ {
		p := m.Profile()
		require.True(t, p.Has(since.Always))
		for _, area := range areas {
			for _, f := range since.Of(area) {
				require.Equal(t, f.In(m), p.Has(f), "%s in %s", f.Name(), m)
			}
		}
	}
	require.Equal(t, since.Profile{}, since.Newest.Profile())
	require.NotEqual(t, since.Minor(33).Profile(), since.Minor(34).Profile())
}

// A profile can be changed fact by fact, and profiles with the same facts are equal.
func TestProfileChangesFactByFact(t *testing.T) {
	old := since.Minor(33).Profile()
	backported := old.With(since.NumberFormats)
	require.True(t, backported.Has(since.NumberFormats))
	require.False(t, backported.Has(since.RuleValues))
	require.Equal(t, backported, backported.With(since.NumberFormats))
	require.Equal(t, old, backported.Without(since.NumberFormats))
	require.Equal(t, old, old.Without(since.Always))

	var missing []since.Fact
	for _, area := range areas {
		for _, f := range since.Of(area) {
			if f.In(since.Newest) != f.In(33) {
				missing = append(missing, f)
			}
		}
	}
	require.Equal(t, since.Profile{}, old.With(missing...))
}

func TestParseServed(t *testing.T) {
	for version, want := range map[string]since.Minor{"": since.Newest, "1.30": 30, "1.37": 37, "1.38": 38} {
		m, err := since.ParseServed(version)
		require.NoError(t, err)
		require.Equal(t, want, m)
	}
	for _, version := range []string{"1.29", "1.39", "1.33.1", "v1.33", "33", "1.", "1.+33", "1.033", "2.33", "latest"} {
		_, err := since.ParseServed(version)
		require.EqualError(t, err, `unknown version "`+version+`" of Kubernetes: must be a minor version from 1.30 to 1.38, without a patch release`)
	}
}
