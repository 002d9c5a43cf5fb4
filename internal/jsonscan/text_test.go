package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// texts returns the strings of a list, as Text has them, nil if it is declined.
func texts(t *testing.T, doc string) (out []string) {
	t.Helper()
	s := New([]byte(doc))
	for ok := s.FirstItem(); ok; ok = s.NextItem() {
		out = append(out, s.Text())
	}
	ok := s.End()
	s.Release()
	if !ok {
		return nil
	}
	return out
}

func list(items ...string) string { return "[" + strings.Join(items, ",") + "]" }

func TestText(t *testing.T) {
	items := []string{
		`""`, `"short"`, `"a text of a field"`, `"one of two\nlines"`, `"it ends with a backslash\\"`, `"and this with an escaped quote\""`, `"a text of a fielt"`,
		`"\"\"\"\"\"\"\"\"\"\""`, `"\u00e4ä \ud83d\ude00, and more"`, `"` + strings.Repeat("long ", 4000) + `"`, `"exactly8\\"`, `"exactly8"`,
	}
	doc := list(append(items, items...)...)
	var want []string
	require.NoError(t, json.Unmarshal([]byte(doc), &want))
	require.Equal(t, want, texts(t, doc))
	require.Nil(t, texts(t, list(`"a text of a field\"`)))
	require.Nil(t, texts(t, list(`"a text of a field\q"`, `"a text of a field\q"`)))
}

// Texts are those of encoding/json.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "a text of a field", `one\n or \"two\"`, `ends with \\`, `\ud83d\ude00 and more`, `\`, "\x01 and more", `",null,"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		item := `"` + raw + `"`
		doc := list(item, item, `"another text"`, item)
		got := texts(t, doc)
		if got == nil {
			return
		}
		var want []string
		require.NoError(t, json.Unmarshal([]byte(doc), &want))
		require.Equal(t, want, got)
	})
}
