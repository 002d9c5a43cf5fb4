package cli

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
)

var completionCommand = command{
	name:  "completion",
	args:  "bash|zsh|fish",
	short: "a script that lets a shell complete commands, flags and their values",
	long:  "For bash: source <(crdkit completion bash)",
	setup: func(e *env, _ *flag.FlagSet) func([]string) error {
		return func(args []string) error {
			if len(args) != 1 {
				return usageError("which shell? bash, zsh or fish")
			}
			script := map[string]func([]command) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[args[0]]
			if script == nil {
				return usageError("there are completions for bash, zsh and fish, and none for " + args[0])
			}
			e.stdout.Print(script(e.commands))
			return nil
		}
	},
}

// The scripts are made from the flags of the commands: a flag that is added is completed. Where neither a command nor a
// flag nor one of a few words is expected, they complete the names of files.

func bashCompletion(all []command) string {
	return fmt.Sprintf(`_crdkit() {
	local word=${COMP_WORDS[COMP_CWORD]} words=
	if ((COMP_CWORD == 1)); then
		words='%s'
	elif [[ $word == -* ]]; then
		case ${COMP_WORDS[1]} in
%s		esac
	else
		case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]}" in
%s		esac
	fi
	if [[ -n $words ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$word"))
	else
		COMPREPLY=($(compgen -f -- "$word"))
	fi
}
complete -o filenames -F _crdkit crdkit kubectl-crdkit
`, names(all), flagCases(all, "\t\t%s) words='%s' ;;\n"), valueCases(all, "\t\t%s) words='%s' ;;\n"))
}

func zshCompletion(all []command) string {
	return fmt.Sprintf(`#compdef crdkit kubectl-crdkit
_crdkit() {
	if ((CURRENT == 2)); then
		compadd %s
		return
	fi
	if [[ ${words[CURRENT]} == -* ]]; then
		case ${words[2]} in
%s		esac
		return
	fi
	case "${words[2]} ${words[CURRENT-1]}" in
%s	*) _files ;;
	esac
}
compdef _crdkit crdkit kubectl-crdkit
`, names(all), flagCases(all, "\t\t%s) compadd -- %s ;;\n"), valueCases(all, "\t%s) compadd %s ;;\n"))
}

func fishCompletion(all []command) string {
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "complete -c crdkit -n __fish_use_subcommand -f -a %s -d %s\n", c.name, quoted(c.short))
		c.flags().VisitAll(func(f *flag.Flag) {
			value := " -r"
			if v, ok := f.Value.(*enumValue); ok {
				value = " -x -a " + quoted(strings.Join(v.words, " "))
			} else if isBool(f) {
				value = ""
			}
			_, usage := flag.UnquoteUsage(f)
			fmt.Fprintf(&b, "complete -c crdkit -n '__fish_seen_subcommand_from %s' -o %s%s -d %s\n", c.name, f.Name, value, quoted(usage))
		})
	}
	return b.String()
}

// names returns the names of the commands, separated by spaces.
func names(all []command) string {
	var out []string
	for _, c := range all {
		out = append(out, c.name)
	}
	return strings.Join(out, " ")
}

// flagCases returns a case of a shell's script for each command with flags: its name, and its flags.
func flagCases(all []command, format string) string {
	var b strings.Builder
	for _, c := range all {
		var flags []string
		c.flags().VisitAll(func(f *flag.Flag) { flags = append(flags, "-"+f.Name) })
		if len(flags) > 0 {
			fmt.Fprintf(&b, format, c.name, strings.Join(flags, " "))
		}
	}
	return b.String()
}

// valueCases returns a case of a shell's script for each list of words that flags take: the commands with these flags,
// and the words.
func valueCases(all []command, format string) string {
	patterns := map[string][]string{}
	for _, c := range all {
		c.flags().VisitAll(func(f *flag.Flag) {
			if v, ok := f.Value.(*enumValue); ok {
				words := strings.Join(v.words, " ")
				patterns[words] = append(patterns[words], fmt.Sprintf("'%s -%s'", c.name, f.Name))
			}
		})
	}
	var b strings.Builder
	for _, words := range slices.Sorted(maps.Keys(patterns)) {
		fmt.Fprintf(&b, format, strings.Join(patterns[words], " | "), words)
	}
	return b.String()
}

// isBool reports whether a flag takes no value.
func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// quoted returns a text as a word of fish.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", " ").Replace(text) + "'"
}
