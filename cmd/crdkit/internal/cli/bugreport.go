package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
)

var reportCommand = command{
	name:  "report",
	args:  "[-crd NAME]... [-old NAME] NAME...",
	short: "text for an issue about an answer that differs from a server's",
	long:  "It has the definitions, the objects and the answer of crdkit validate. Add the answer of the server.",
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var definitions []string
		var old string
		listFlag(flags, &definitions, "crd", "`NAME` of definitions, as for validate; may be repeated")
		flags.StringVar(&old, "old", "", "`NAME` has the old objects, if a server answered an update")
		return func(args []string) error { return e.bugReport(definitions, old, args) }
	},
}

func (e *env) bugReport(definitions []string, old string, args []string) error {
	if len(args) == 0 {
		return usageError("which object? Name its file")
	}
	if slices.Contains(slices.Concat(definitions, []string{old}, args), "-") {
		return usageError("files are read twice: write standard input to a file first")
	}
	var out bytes.Buffer
	if err := e.quote(&out, "Definition", definitions); err != nil {
		return err
	}
	command := []string{"-print"}
	for _, name := range definitions {
		command = append(command, "-crd", name)
	}
	kubectl := "create"
	if old != "" {
		if err := e.quote(&out, "Old object", []string{old}); err != nil {
			return err
		}
		command = append(command, "-old", old)
		kubectl = "replace"
	}
	if err := e.quote(&out, "Object", args); err != nil {
		return err
	}
	var answer bytes.Buffer
	printed := output.New(&answer)
	validate := &env{stdin: strings.NewReader(""), stdout: printed, stderr: printed, limits: e.limits}
	if validate.run(&validateCommand, append(command, args...)) == 2 {
		return errors.New(strings.TrimSpace(answer.String()))
	}
	block(&out, "crdkit's answer", "text", answer.String())
	block(&out, "crdkit version", "text", versionLine())
	block(&out, "The server's answer", "text", fmt.Sprintf("Add the output of: kubectl %s --dry-run=server -o yaml -f %s\nAnd of: kubectl version",
		kubectl, strings.Join(args, " -f ")))
	e.stdout.Print(out.String())
	return nil
}

// quote adds the contents of files.
func (e *env) quote(out *bytes.Buffer, title string, names []string) error {
	for _, f := range e.reader.Read(names...) {
		if f.Err != nil {
			return fmt.Errorf("%s: %w", f.Name, f.Err)
		}
		block(out, title, "yaml", string(f.Data))
	}
	return nil
}

// block adds text in a block of Markdown, between fences that are longer than any in the text.
func block(out *bytes.Buffer, title, language, text string) {
	longest, n := 2, 0
	for _, c := range text {
		if c != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	fence := strings.Repeat("`", longest+1)
	fmt.Fprintf(out, "### %s\n\n%s%s\n%s\n%s\n\n", title, fence, language, strings.TrimRight(text, "\n"), fence)
}
