package crdlint

import (
	"strings"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/internal/tool/explain"
)

var nextKubernetes = Lint{
	Name: "next-kubernetes", Severity: Warning, Title: "refused by the next version of Kubernetes",
	Why: "Kubernetes " + since.Prerelease + " refuses what " + since.Newest.String() + " accepts: it estimates some rules higher. " +
		"The definition can no longer be created there, nor changed where it is refused. A prerelease may still change.",
	check: checkNextKubernetes,
}

func checkNextKubernetes(l *linter) {
	if since.Last == since.Newest {
		return
	}
	seen := map[string]bool{}
	for _, e := range crdcheck.CompileFor(since.Server{Minor: since.Last}, l.d, nil, l.checked).Errors() {
		cause := e.Cause()
		isRules := cause.Keyword == origin.Validations
		path := strings.TrimSuffix(strings.TrimSuffix(explain.InDocument(e.Field), ".rule"), ".messageExpression")
		if seen[path] || isRules && cause.Rule < 0 && len(seen) > 0 || !l.more() {
			continue // of all rules together, after one of them
		}
		seen[path] = true
		text, hints := explain.NewerHints(l.checked, e)
		fix := "set smaller maxLength, maxItems and maxProperties on what it reads"
		switch {
		case len(hints) > 0:
			fix = strings.Join(hints, "; ")
		case !isRules:
			fix = "change it as the error says"
		}
		if text != "" {
			text = ": " + short(text)
		}
		l.add(path, nil, fix, "Kubernetes %s refuses it%s: %s", since.Last, text, e.ErrorBody())
	}
}
