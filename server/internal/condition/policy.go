package condition

import (
	"context"
	"strings"
)

// A Policy has the expressions of an admission policy. It is immutable.
type Policy struct {
	*Environment
	Ignore      bool // failurePolicy Ignore: an error denies nothing
	Conditions  []*Condition
	Validations []Validation
	Annotations []*Condition // of the audit log; only their errors count
}

// A Validation is a validation of a policy.
type Validation struct {
	Condition *Condition
	Message   *Condition // messageExpression; or nil
	Text      string     // message
	Reason    string     // of the refusal; empty: Invalid
}

// A Denial is a failed validation, or an error.
type Denial struct {
	Message string
	Reason  string // empty: Invalid
	// Certain says that the denial refuses the request whatever the actions of the binding are.
	Certain bool
}

// Decide evaluates the policy. request has the values for its match conditions, and in those for its other expressions.
func (p *Policy) Decide(ctx context.Context, request, in *Input) []Denial {
	switch outcome, err := p.Evaluate(ctx, p.Conditions, request); {
	case outcome == Fails:
		return p.failed(nil, err.Error())
	case outcome == Differs:
		return nil
	}
	conditions, messages := make([]*Condition, len(p.Validations)), make([]*Condition, len(p.Validations))
	for i := range p.Validations {
		conditions[i], messages[i] = p.Validations[i].Condition, p.Validations[i].Message
	}
	results, left, err := p.run(ctx, conditions, in, validateBudget)
	if err != nil {
		return p.failed(nil, err.Error())
	}
	alone := *in
	alone.Authorizer = nil // messages and annotations cannot ask it, although they may name it
	texts, _, textErr := p.run(ctx, messages, &alone, left)
	var out []Denial
	for i, r := range results {
		switch v := &p.Validations[i]; {
		case r.err != nil:
			out = p.failed(out, r.err.Error())
		case textErr != nil:
			out = p.failed(out, "failed messageExpression: "+textErr.Error())
		case !r.holds:
			out = append(out, Denial{Message: v.message(texts[i]), Reason: v.Reason})
		}
	}
	annotations, _, err := p.run(ctx, p.Annotations, &alone, validateBudget)
	if err != nil {
		return p.failed(nil, err.Error())
	}
	for _, r := range annotations {
		if r.err != nil && !p.Ignore {
			out = append(out, Denial{Message: r.err.Error(), Certain: true})
		}
	}
	return out
}

// failed adds the denial for an error, unless the policy ignores errors.
func (p *Policy) failed(to []Denial, message string) []Denial {
	if p.Ignore {
		return to
	}
	return append(to, Denial{Message: message})
}

// maxMessage is how long the value of a messageExpression may be.
const maxMessage = 5 << 10

// message returns the message of a failed validation. evaluated is the value of its messageExpression.
func (v *Validation) message(evaluated result) string {
	if evaluated.isText {
		text := strings.TrimSpace(evaluated.text)
		if text != "" && len(text) <= maxMessage && !strings.Contains(text, "\n") {
			return text
		}
	}
	if text := strings.TrimSpace(v.Text); text != "" {
		return text
	}
	return "failed expression: " + strings.TrimSpace(v.Condition.expression)
}
