package cli

import (
	"flag"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
)

var completionCommand = command{
	name:  "completion",
	args:  "bash|zsh|fish",
	short: "a script that lets a shell complete commands",
	long:  "For bash: source <(crdkit completion bash)",
	setup: func(e *env, _ *flag.FlagSet) func([]string) error {
		return func(args []string) error {
			if len(args) != 1 {
				return usageError("which shell? bash, zsh or fish")
			}
			script, ok := completions[args[0]]
			if !ok {
				return usageError("there are completions for bash, zsh and fish, and none for " + args[0])
			}
			var formats []string
			for _, f := range report.Formats {
				formats = append(formats, string(f))
			}
			words := strings.NewReplacer("COMMANDS", strings.Join(e.commands, " "), "FORMATS", strings.Join(formats, " "))
			e.stdout.Print(words.Replace(script))
			return nil
		}
	},
}

// completions are the scripts: commands first, then formats behind -o, and files.
var completions = map[string]string{
	"bash": `_crdkit() {
	local word=${COMP_WORDS[COMP_CWORD]}
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "COMMANDS" -- "$word"))
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == -o ]]; then
		COMPREPLY=($(compgen -W "FORMATS" -- "$word"))
	else
		COMPREPLY=($(compgen -f -- "$word"))
	fi
}
complete -o filenames -F _crdkit crdkit kubectl-crdkit
`,
	"zsh": `#compdef crdkit kubectl-crdkit
_crdkit() {
	if ((CURRENT == 2)); then
		compadd COMMANDS
	elif [[ ${words[CURRENT-1]} == -o ]]; then
		compadd FORMATS
	else
		_files
	fi
}
compdef _crdkit crdkit kubectl-crdkit
`,
	"fish": `complete -c crdkit -n __fish_use_subcommand -f -a "COMMANDS"
complete -c crdkit -n "not __fish_use_subcommand" -o o -x -a "FORMATS"
`,
}
