package manifest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseArchive(t *testing.T) {
	a := ParseArchive("What it is about.\n\n-- object.yaml --\nkind: A\n-- no marker\n--  errors.txt  --\n-- empty --\n-- last --\nno line break")
	require.Equal(t, "What it is about.\n\n", a.Comment)
	require.Equal(t, []File{
		{"object.yaml", "kind: A\n-- no marker\n", 4}, {"errors.txt", "", 7}, {"empty", "", 8}, {"last", "no line break\n", 9},
	}, a.Files)
	require.Equal(t, "What it is about.\n\n-- object.yaml --\nkind: A\n-- no marker\n-- errors.txt --\n-- empty --\n-- last --\nno line break\n", a.String())
	require.Nil(t, a.File("other"))

	a.Set("errors.txt", "one error")
	a.Set("other", "")
	a.Set("new", "text\n")
	require.Equal(t, "one error\n", a.File("errors.txt").Text)
	require.Nil(t, a.File("other"), "nothing to write")
	require.Equal(t, "text\n", a.File("new").Text)

	require.Equal(t, &Archive{}, ParseArchive(""))
	require.Equal(t, &Archive{Comment: "-- --\n--  --\n"}, ParseArchive("-- --\n--  --"), "files without a name")
}

// What is written reads as the same files again.
func FuzzParseArchive(f *testing.F) {
	for _, s := range []string{"", "a", "-- a --", "c\n-- a --\n-- b --\r\nx\r\n", "-- a --\n\n\n-- --", "--  a  --\nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := ParseArchive(text)
		b := ParseArchive(a.String())
		require.Equal(t, a.String(), b.String())
		require.Len(t, b.Files, len(a.Files))
		for i := range a.Files {
			require.Equal(t, a.Files[i].Text, b.Files[i].Text)
		}
	})
}
