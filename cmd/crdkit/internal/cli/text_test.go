package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
)

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{
		{0, "0.0%"}, {0.5251, "52.5%"}, {1, "100.0%"}, {1.0001, "100.1%"}, {9.9999, "1000.0%"}, {10, "1000%"}, {10.5, "1050%"}, {999.9, "99990%"},
		{1000, "more than 1000x"}, {2000, "more than 1000x"},
	} {
		require.Equal(t, c.want, percent(c.share), "%v", c.share)
	}
}

// A cost that has no bound has no number.
func TestUnboundedCost(t *testing.T) {
	require.Equal(t, "unbounded", costText(finiteCost(1<<64-1)))
	require.Equal(t, "18446744073709551614", costText(finiteCost(1<<64-2)))
}

// A long text is cut, between characters.
func TestShorten(t *testing.T) {
	long := strings.Repeat("x", 999)
	require.Equal(t, long+"y", shorten(long+"y"))
	require.Equal(t, long+"y...", shorten(long+"yz"))
	require.Equal(t, long+"...", shorten(long+"é"))
}

// An object that is too deep for the printer has a comment instead.
func TestYAMLText(t *testing.T) {
	require.Equal(t, "a: 1\n", yamlText(map[string]any{"a": int64(1)}))
	deep := map[string]any{}
	for range 20_000 {
		deep = map[string]any{"a": deep}
	}
	require.Equal(t, "# the object is too deep or too large to be printed\n", yamlText(deep))
}

// A terminal gets snippets and, unless NO_COLOR is set, colors. Programs get neither.
func TestPrintOptions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no character device for everybody")
	}
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer device.Close()
	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer file.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	color := false // of the last one
	options := func(to io.Writer, format report.Format) report.Options {
		e := env{stdout: output.New(to), format: format}
		o := e.printOptions()
		var b strings.Builder
		color = e.stdout.Paint(output.Red, "x") != output.New(&b).Paint(output.Red, "x")
		require.Equal(t, moduleVersion(), o.Version)
		o.Version = ""
		return o
	}
	require.Equal(t, report.Options{Format: report.Text, Snippets: true}, options(device, report.Text))
	require.True(t, color)
	require.Equal(t, report.Options{Format: report.JSON}, options(file, report.JSON))
	require.Equal(t, report.Options{}, options(&bytes.Buffer{}, ""))
	require.False(t, color)
	t.Setenv("NO_COLOR", "1")
	require.Equal(t, report.Options{Snippets: true}, options(device, ""))
	require.False(t, color)
	t.Setenv("TERM", "dumb")
	require.Equal(t, report.Options{}, options(device, ""))
}

// The text of an audit has its numbers, and says how many findings are missing.
func TestAuditText(t *testing.T) {
	var b strings.Builder
	a := auditDetails{Definition: "d", Objects: 9, Clean: 1, Changed: 2, Broken: 6, New: 3}
	w := output.New(&b)
	a.text(w)
	a.Compared, a.Omitted = true, 1
	a.text(w)
	require.Equal(t, "d: 9 objects, 1 clean, 2 changed, 6 broken\nd: 9 objects, 1 clean, 2 changed, 6 broken, 3 by the change\nd: 1 more findings of objects\n", b.String())
}

// Help that is asked for goes to standard output, and the usage that comes with an error to standard error.
func TestHelp(t *testing.T) {
	for args, code := range map[string]int{
		"help": 0, "-h": 0, "--help": 0, "help check": 0, "check -h": 0, "check --help": 0, "check -help": 0, "check x -h": 0, "check -none": 2, "none": 2, "": 2,
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, code, Main(strings.Fields(args), nil, &stdout, &stderr), args)
		usage, other := &stdout, &stderr
		if code != 0 {
			usage, other = other, usage
		}
		require.Contains(t, usage.String(), "Usage: crdkit ", args)
		require.Empty(t, other.String(), args)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// If the output cannot be written, the exit code says so.
func TestBrokenPipe(t *testing.T) {
	enter(t, scriptFile(t, "validate.txtar", "crd.yaml"))
	for _, args := range [][]string{
		{"check", "crd.yaml"}, {"schema", "-q", "crd.yaml"}, {"schema", "-q", "-d", "schemas", "crd.yaml"}, {"explain", "-crd", "crd.yaml", "-o", "json", "widget"},
		{"sample", "-crd", "crd.yaml", "widget"}, {"sample", "-full", "-crd", "crd.yaml", "widget"}, {"sample", "-broken", "-crd", "crd.yaml", "widget"},
		{"version"}, {"completion", "bash"},
	} {
		var stderr bytes.Buffer
		require.Equal(t, 2, Main(args, nil, brokenPipe{}, &stderr), "%v", args)
		require.Equal(t, "crdkit "+args[0]+": broken pipe\n", stderr.String())
	}
}
