package cli

import "flag"

var checkCommand = command{
	name:  "check",
	args:  "[FLAGS] NAME...",
	short: "whether a server takes definitions: every error and warning",
	long: `NAME is a file, a directory with those below it, a pattern, git://REF?path=PATH, or - for standard input.
Documents that are no definitions are counted, and left alone.
Below a server's errors come warnings and notes about what it accepts and people regret: docs/lints.md has the list.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var strict fieldValidation
		var old oldDocuments
		var lint linting
		var kubernetes string
		kubernetesFlag(flags, &kubernetes)
		strict.flags(flags)
		lint.flags(flags)
		old.flags(flags)
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.check(args, &old, kubernetes, strict, &lint) }
	},
}

func (e *env) check(args []string, old *oldDocuments, kubernetes string, strict fieldValidation, lint *linting) error {
	if err := checkKubernetes("kubernetes", kubernetes); err != nil {
		return err
	}
	definitions, err := e.readDefinitions("check", args)
	if err != nil {
		return err
	}
	documents, _, err := old.read(e, args)
	if err != nil {
		return err
	}
	oldDefinitions := definitionsByName(documents)
	e.distinct(definitions)
	lint.setOthers(definitions)
	var tasks []func() *result
	for _, d := range definitions {
		tasks = append(tasks, func() *result { return checkDefinition(d, oldDefinitions[d.crd.Name()], kubernetes, strict, lint) })
	}
	e.runTasks(tasks, nil)
	return nil
}
