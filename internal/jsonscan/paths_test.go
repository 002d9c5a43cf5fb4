package jsonscan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

func TestLongPaths(t *testing.T) {
	key := strings.Repeat("k", 1<<20)
	for text, long := range map[string]bool{
		``:                       false,
		`"`:                      false,
		`}]{"a\`:                 false,
		`{"a": [{"b": "c"}, 1]}`: false,
		`{"` + key + `": {` + strings.Repeat(`"a": 1, `, 100) + `"b": 1}}`:       false,
		`{"` + key + `": {` + strings.Repeat(`"a" : 1, `, 300) + `"b": 1}}`:      true,
		`{"` + key + `": {}, "c": {` + strings.Repeat(`"a":1,`, 300) + `"b":1}}`: false, // beside it
		`{"` + key + `": [` + strings.Repeat(`{"a\"":1},`, 300) + `1]}`:          true,
		`{"` + key + `": [` + strings.Repeat(`"a",`, 300) + `1]}`:                false, // no keys
	} {
		require.Equal(t, long, jsonscan.LongPaths([]byte(text)), "%.40s", text)
	}
}
