package cli

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
)

// Manual returns the manual page of the command, in roff. The command does not link it: releases have it as a file.
func Manual(version string, date time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH CRDKIT 1 %q %q\n", date.Format(time.DateOnly), "crdkit "+version)
	b.WriteString(".SH NAME\ncrdkit \\- what a Kubernetes API server says of custom objects and their definitions\n")
	b.WriteString(".SH SYNOPSIS\n.B crdkit\n.I COMMAND\n[FLAGS] [ARGUMENTS]\n")
	b.WriteString(".SH DESCRIPTION\nReports the errors and warnings of a Kubernetes API server for manifests, without a server.\n")
	b.WriteString(".SH COMMANDS\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, ".SS %s\n", roff(strings.TrimSpace("crdkit "+c.name+" "+c.args)))
		b.WriteString(roff(c.short) + ".\n")
		if c.long != "" {
			b.WriteString(".PP\n.nf\n" + roff(c.long) + "\n.fi\n")
		}
		c.flags().VisitAll(func(f *flag.Flag) {
			value, usage := flag.UnquoteUsage(f)
			fmt.Fprintf(&b, ".TP\n.B %s\n%s", roff(strings.TrimSpace("-"+f.Name+" "+value)), roff(usage))
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && !strings.Contains(usage, "(default") {
				fmt.Fprintf(&b, " (default %s)", roff(f.DefValue))
			}
			b.WriteString("\n")
		})
	}
	b.WriteString(".SH EXIT STATUS\n.TP\n.B 0\nno errors\n.TP\n.B 1\nthere are errors\n.TP\n.B 2\nwrong usage, or input that cannot be read\n")
	b.WriteString(".SH SEE ALSO\nhttps://github.com/crdkit/crdkit/blob/main/docs/command.md\n")
	return b.String()
}

// flags returns the flags of a command, which is not run.
func (c *command) flags() *flag.FlagSet {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	discard := output.New(io.Discard)
	c.setup(&env{stdout: discard, stderr: discard, limits: input.DefaultLimits}, flags)
	return flags
}

// roff returns text that a formatter of manual pages prints as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
