package cli

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each command is in the manual with each of its flags.
func TestManual(t *testing.T) {
	manual := Manual("v1.2.3", time.Unix(0, 0).UTC())
	require.True(t, strings.HasPrefix(manual, `.TH CRDKIT 1 "1970-01-01" "crdkit v1.2.3"`+"\n"), manual[:80])
	for _, c := range commands() {
		_, section, found := strings.Cut(manual, ".SS "+roff(strings.TrimSpace("crdkit "+c.name+" "+c.args))+"\n")
		require.True(t, found, c.name)
		section, _, _ = strings.Cut(section, "\n.S")
		require.Contains(t, section, roff(c.short))
		c.flags().VisitAll(func(f *flag.Flag) { require.Contains(t, section, ".B "+roff("-"+f.Name), c.name) })
	}
	require.Contains(t, manual, ".B \\-crd NAME\nNAME of definitions, as for manifests; may be repeated\n")
	require.Contains(t, manual, ".B \\-timeout duration\nhow long to wait for standard input, pipes and git (default ")
}

func TestRoff(t *testing.T) {
	require.Equal(t, "\\&.a\nb\\-c\n\\&'d \\e", roff(".a\nb-c\n'd \\"))
}
