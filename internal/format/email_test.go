package format

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FMT-003. What addresses are made of, put together at random: net/mail must agree.
func TestEmailAsNetMail(t *testing.T) {
	pieces := []string{"a", "b.c", "a@b", "<a@b>", "ä", "\xff", "\xc3", "@", "@", ".", ",", ":", ";", "<", ">", "(", ")", "[", "]", `"`, `"`, `\`, " ", " ", "\t",
		"\n", "\r", "\x00", "\x7f", "!#$%&'*+-/=?^_`{|}~", "[1.2.3.4]", "[01.2.3.4]", "[::1]", "[fe80::1%e]", "[IPv6:::1]", `"q s"`, `""`, `"\""`, "(c)", "((c) d)", `(\()`,
		"=?utf-8?q?a=20b?=", "=?utf-8?q??=", "=?UTF-8?B?w6Q=?=", "=?utf-8?b?" + "\n" + "?=", "=?utf-8?b?!?=", "=?us-aſcii?q?a?=", "=?ISO-8859-1?Q?=e4?=", "=?koi8-r?q?a?=",
		"=?koi8-r?b?YQ==?=", "=?koi8-r?b?YQ?=", "=?koi8-r?q?=x?=", "=?koi8-r?q?a=2?=", "=?koi8-r?q?\x80?=", "=?koi8-r?x?a?=", "=??q?a?=", "=?koi8-r?qq?a?=", "=?koi8-r?q?a?b?=", "=?a?=",
		"=?", "?=", `=?koi8\-r?q?a?=`, `(=?koi8-r?q?a?=)`, `(x =?koi8-r?q?` + "\n" + `?= y)`, "(=?utf-8?q?a?=)"}
	// Most strings of the pieces are no addresses, so some are put into one.
	frames := []string{"|", "|@b", "a@|", "|<a@b>", "|a@b|", "a@b |", "|:a@b|;|", "x: | <a@b>;", "a|<a@b>|", "=?utf-8?q??= | <a@b>", `"|"@b`, "a@b (|)", "a@b (x) |", "(|) a@b"}
	r := rand.New(rand.NewPCG(1, 2))
	slow := slowChecks()["email"]
	valid := 0
	for range 200_000 {
		frame := frames[r.IntN(len(frames))]
		var b strings.Builder
		for {
			before, after, more := strings.Cut(frame, "|")
			b.WriteString(before)
			if !more {
				break
			}
			for range r.IntN(4) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			frame = after
		}
		s := b.String()
		want := slow(s)
		if want {
			valid++
		}
		require.Equal(t, want, validEmail(s), "%q", s)
	}
	require.Greater(t, valid, 10_000)
	t.Log(valid, "of them are valid")
}
