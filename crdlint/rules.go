package crdlint

import (
	"fmt"

	"github.com/crdkit/crdkit/crdcheck"
)

var rulesNearLimit = Lint{
	Name: "rule-near-limit", Severity: Note, Title: "a rule that uses more than half of its cost limit",
	Why: "A server refuses a definition with a rule over the limit. Bounds that grow, or a rule on a list that contains this one, " +
		"multiply the estimate.",
	check: checkRulesNearLimit,
}

func checkRulesNearLimit(l *linter) {
	for _, v := range l.versions {
		rules := l.checked.Rules(v.Name)
		if v.repeat || rules == nil {
			continue
		}
		for _, c := range rules.Costs() {
			share := 100 * float64(c.Estimate) / crdcheck.RuleCostLimit
			if share < 50 || !l.more() {
				continue
			}
			path := v.at.String()
			if c.Path != "" {
				path += "." + c.Path
			}
			l.add(fmt.Sprintf("%s.x-kubernetes-validations[%d]", path, c.Index), nil,
				"set smaller maxLength, maxItems and maxProperties on what it reads: crdkit cost has bounds that fit",
				"the rule is estimated at %.0f %% of the limit", share)
		}
	}
}
