package protocol_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/protocol"
)

// DSC-010: warnings as headers.
func TestWarningHeaders(t *testing.T) {
	long := func(first string, n int) string { return first + strings.Repeat("ä", n-1) }
	header := func(text string) string { return `299 - "` + text + `"` }
	var many, manyCut []string
	for i := range 30 {
		many = append(many, long(string(rune('a'+i)), 300))
		manyCut = append(manyCut, header(long(string(rune('a'+i)), 256)))
	}
	for _, row := range []struct {
		name           string
		warnings, want []string
	}{
		{"none", nil, nil},
		{"in order, each once", []string{"b", "a", "b"}, []string{header("b"), header("a")}},
		{"quotes and backslashes", []string{`unknown field "a\b"`}, []string{`299 - "unknown field \"a\\b\""`}},
		{"other characters as they are", []string{"é → 漢"}, []string{header("é → 漢")}},
		{"empty, control characters, no UTF-8", []string{"", "a\nb", "a\x7f", "\u0085", "\xff", "ok"}, []string{header("ok")}},
		{"4096 characters are left alone", []string{long("a", 4000), long("b", 96)}, []string{header(long("a", 4000)), header(long("b", 96))}},
		{"one more, and all are cut", []string{long("a", 4000), long("b", 97), "c"}, []string{header(long("a", 256)), header(long("b", 97)), header("c")}},
		{"one that is too long alone", []string{long("a", 4097)}, []string{header(long("a", 256))}},
		{"16 of those that are cut", many, manyCut[:16]},
		{"omitted warnings do not count", []string{long("a", 4000), long("b", 200) + "\n", "c"}, []string{header(long("a", 4000)), header("c")}},
		{"a control character that is cut off", []string{long("a", 4000), long("b", 300) + "\n", long("c", 97)}, []string{header(long("a", 256)), header(long("b", 256)), header(long("c", 97))}},
	} {
		require.Equal(t, row.want, protocol.WarningHeaders(row.warnings), "DSC-010 %s", row.name)
	}
}
