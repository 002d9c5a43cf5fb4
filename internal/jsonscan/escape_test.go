package jsonscan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]rune{
		`"`: '"', `\`: '\\', `/`: '/', `b`: '\b', `f`: '\f', `n`: '\n', `r`: '\r', `t`: '\t',
		`u0041`: 'A', `u00e9`: 'é', `uABCD`: 0xabcd, `uabcd`: 0xabcd, `ufffd`: 0xfffd, `u0000`: 0, `ud83d\ude00`: '😀',
	} {
		r, next := jsonscan.Escape([]byte(`\`+text), 1)
		require.Equal(t, want, r, text)
		require.Equal(t, 1+len(text), next, text)
		r, next = jsonscan.Escape([]byte(`\`+text+`9"`), 1)
		require.Equal(t, want, r, text)
		require.Equal(t, 1+len(text), next, text)
	}
	for _, text := range []string{
		``, `x`, `'`, `u`, `u004`, `u004"`, `u00g0`, `u004G`, `u004/`, `u004:`, `u004@`, "u004`", `U0041`,
		`ud83d`, `ud83d\`, `ud83d\u`, `ud83d\ude0`, `ud83d\n`, `ud83d\n0041`, `ud83d\u0041`, `ud83dxude00`, `ude00`, `ude00\ud83d`, `ud83d\ud83d`,
	} {
		_, next := jsonscan.Escape([]byte(`\`+text), 1)
		require.Equal(t, -1, next, text)
	}
}
