package unstructured

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"
)

// TestDuplicates compares with the decoder of a server, in random texts.
func TestDuplicates(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	keys := []string{`a`, `b`, `a.b`, ``, `[0]`, `\u0061`, `\ud800`, "\xff", `"`, `é`}
	keys[8] = `\"`
	var value func(depth int) string
	object := func(depth int) string {
		var members []string
		for range random.IntN(5) {
			members = append(members, fmt.Sprintf(`"%s": %s`, keys[random.IntN(len(keys))], value(depth)))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	value = func(depth int) string {
		switch kind := random.IntN(5); {
		case depth == 0 || kind == 0:
			return []string{"1", `"x"`, "null", "true", "1.5", "{}", "[]"}[random.IntN(7)]
		case kind == 1:
			return fmt.Sprintf("[%s, %s]", value(depth-1), value(depth-1))
		default:
			return object(depth - 1)
		}
	}
	found := 0
	for range 20_000 {
		text := object(5)
		var obj map[string]any
		errs, err := kjson.UnmarshalStrict([]byte(text), &obj)
		require.NoError(t, err, text)
		var want []string
		for _, e := range errs {
			want = append(want, e.Error())
		}
		got, findings, err := DecodeJSONStrict([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, findings, text)
		require.Equal(t, obj, got, text)
		found += len(findings)
	}
	require.Greater(t, found, 10_000)
}

func TestManyDuplicates(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, `"k%d":1,"k%d":1,`, i, i)
	}
	_, findings, err := DecodeJSONStrict([]byte("{" + b.String() + `"l":1}`))
	require.NoError(t, err)
	require.Len(t, findings, maxFindings)
	require.Equal(t, `duplicate field "k99"`, findings[99])

	_, findings, err = DecodeJSONStrict([]byte(`{"a":1,"a":[}`))
	require.EqualError(t, err, "invalid character '}' looking for beginning of value")
	require.Nil(t, findings)
}
