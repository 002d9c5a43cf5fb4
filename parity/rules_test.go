package parity

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/schema"
)

// compiledRules asks for the errors and estimates of rules, in a new definition or in one that is stored.
var compiledRules = comparison{
	pkg: "cel", functions: "Compile, Rules.Costs", reference: "ValidateCustomResourceDefinition, -Update, cel.Compile", cases: 200, tries: 2,
	draw: func(s *gen.Source) any {
		p := gen.RuledSchema(s)
		gen.AddRules(s, p, 8)
		return map[string]any{"schema": p, "stored": s.OneIn(4)}
	},
	ask: func(sample any) []outcome {
		m, _ := sample.(map[string]any)
		stored := m["stored"] == true
		s, theirs := ruled(m["schema"])
		if s == nil {
			return nil
		}
		ours, errs := cel.Compile(s, &cel.Options{Path: reference.SchemaPath, Stored: func(string) bool { return stored }})
		answer := namedAlike(listed(errs))
		var wanted []string
		for range asked { // which rules it names as the most expensive is random among equals
			errs, ok := theirs.Check(stored)
			if !ok || !aboutRules(errs) {
				return nil
			}
			if wanted = namedAlike(listedReference(errs)); slices.Equal(answer, wanted) || !slices.ContainsFunc(wanted, mostExpensive.MatchString) {
				break
			}
		}
		outcomes := []outcome{{answer, wanted, len(wanted) > 0}}
		if slices.ContainsFunc(wanted, wrongField.MatchString) {
			return outcomes // a field of a rule is wrong, which keeps rules from being compiled
		}
		costs, err := theirs.Costs(stored)
		if err != nil {
			return append(outcomes, outcome{theirs: err.Error()})
		}
		return append(outcomes, outcome{costLines(ours.Costs()), costLinesReference(costs), false})
	},
}

// evaluatedRules asks what rules have against objects, and what that cost.
var evaluatedRules = comparison{
	pkg: "cel", functions: "Prepare, Rules.Evaluate", reference: "cel.NewValidator, Validator.Validate", cases: 250, tries: 2,
	draw: func(s *gen.Source) any {
		p := gen.RuledSchema(s)
		gen.AddRules(s, p, 8)
		few := gen.RulePlaces(p) <= 2 // otherwise it is random where a small budget ends
		objects := given.List(4, func(int) any { return gen.Ruled{Source: s, Odd: gen.Pick(s, []int{100, 100, 30, 10})}.Request(p, few) })
		return map[string]any{"schema": p, "objects": objects}
	},
	ask: func(sample any) []outcome {
		m, _ := sample.(map[string]any)
		s, theirs := ruled(m["schema"])
		if s == nil {
			return nil
		}
		ours := cel.Prepare(s)
		if !theirs.Prepare() {
			return nil
		}
		return compared(sample, theirs, func(request map[string]any) []outcome {
			obj, ok := request["object"].(map[string]any)
			if !ok {
				return nil
			}
			return evaluated(func(_, old any, opts *cel.EvalOptions) cel.Result {
				before, _ := old.(map[string]any)
				return ours.Evaluate(context.Background(), obj, before, opts)
			}, func(ctx context.Context, v, old any, budget int64, ratchet bool) (k8sfield.ErrorList, int64) {
				if _, ok := old.(map[string]any); !ok {
					old = nil
				}
				return theirs.Evaluate(ctx, nil, v, old, budget, ratchet)
			}, request)
		})
	},
}

// evaluatedValues asks what rules have against values in an object.
var evaluatedValues = comparison{
	pkg: "cel", functions: "Prepare, Rules.EvaluateValue", reference: "cel.NewValidator, Validator.Validate", cases: 150, tries: 2,
	draw: func(s *gen.Source) any {
		p := gen.RuledSchema(s)
		gen.AddRules(s, p, 8)
		steps, below := gen.RulePlace(s, p)
		if steps == nil {
			return nil
		}
		few := gen.RulePlaces(below) <= 2
		objects := given.List(4, func(int) any {
			return gen.Ruled{Source: s, Odd: gen.Pick(s, []int{100, 100, 30, 10})}.RequestForValue(below, few)
		})
		return map[string]any{"schema": p, "steps": steps, "objects": objects}
	},
	ask: func(sample any) []outcome {
		m, _ := sample.(map[string]any)
		steps, _ := m["steps"].([]string)
		s, all := ruled(m["schema"])
		if s == nil || steps == nil {
			return nil
		}
		n, ok := below(s.Root(), steps)
		if !ok {
			return nil
		}
		ours, theirs := cel.Prepare(s), all.Below(steps)
		if theirs == nil || !theirs.Prepare() {
			return nil
		}
		return compared(sample, all, func(request map[string]any) []outcome {
			return evaluated(func(v, old any, opts *cel.EvalOptions) cel.Result {
				return ours.EvaluateValue(context.Background(), n, field.NewPath("x").Index(1), v, old, opts)
			}, func(ctx context.Context, v, old any, budget int64, ratchet bool) (k8sfield.ErrorList, int64) {
				return theirs.Evaluate(ctx, k8sfield.NewPath("x").Index(1), v, old, budget, ratchet)
			}, request)
		})
	},
}

// below returns the node that steps lead to, and false if there is none.
func below(n schema.Node, steps []string) (schema.Node, bool) {
	for _, step := range steps {
		switch step {
		case "[items]":
			n = n.Items()
		case "[additionalProperties]":
			n = n.AdditionalProperties()
		default:
			n = n.Property(step)
		}
	}
	return n, !n.IsZero()
}

// aboutRules reports whether a server takes a schema, apart from what it has against the rules. Else it does not get to
// these.
func aboutRules(errs k8sfield.ErrorList) bool {
	return !slices.ContainsFunc(errs, func(e *k8sfield.Error) bool {
		return !strings.Contains(e.Field, ".x-kubernetes-validations") && e.Field != reference.SchemaPath
	})
}

// taken asks aboutRules of the schema alone.
func taken(theirs *reference.Rules) bool {
	errs, ok := theirs.Check(false)
	return ok && aboutRules(errs)
}

// asked is how often the reference is asked where its random order decides: which keys of a map a rule or the walk
// comes to first.
const asked = 200

// patience is how long the reference may take for an object: it is quadratic in the length of loops. Nothing is
// compared then.
const patience = 5 * time.Second

// An evaluator evaluates a value, and returns its findings with the cost.
type (
	evaluate          func(v, old any, opts *cel.EvalOptions) cel.Result
	evaluateReference func(ctx context.Context, v, old any, budget int64, ratchet bool) (k8sfield.ErrorList, int64)
)

func evaluated(ours evaluate, theirs evaluateReference, request map[string]any) []outcome {
	v, old := request["object"], request["old"]
	budget, _ := request["budget"].(int64)
	opts := &cel.EvalOptions{Budget: budget, Ratchet: request["ratchet"] == true}
	if budget <= 0 {
		opts.Budget, budget = 0, 10_000_000
	}
	got := ours(v, old, opts)
	answer := namedAlike(append(listed(got.Errors), fmt.Sprint("cost ", got.Cost)))
	var wanted []string
	random := rand.New(rand.NewPCG(1, 1))
	for i := range asked {
		if i > 0 { // a small map is visited in the order in which it was filled, from a random place on
			v, old = shuffled(random, v), shuffled(random, old)
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		errs, left := theirs(ctx, v, old, budget, opts.Ratchet)
		late := ctx.Err() != nil
		cancel()
		if late {
			return nil
		}
		wanted = namedAlike(append(listedReference(errs), fmt.Sprint("cost ", budget-max(left, 0))))
		if slices.Equal(answer, wanted) {
			break
		}
	}
	return []outcome{{answer, wanted, len(answer) > 1}}
}

// shuffled returns a copy of v whose maps are filled in random order.
func shuffled(random *rand.Rand, v any) any {
	switch x := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(x))
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		m := make(map[string]any, len(x))
		for _, k := range keys {
			m[k] = shuffled(random, x[k])
		}
		return m
	case []any:
		l := make([]any, len(x))
		for i, c := range x {
			l[i] = shuffled(random, c)
		}
		return l
	}
	return v
}

// compared asks about all values of a sample.
func compared(sample any, theirs *reference.Rules, ask func(request map[string]any) []outcome) []outcome {
	m, _ := sample.(map[string]any)
	objects, _ := m["objects"].([]any)
	var outcomes []outcome
	for _, j := range objects {
		request, _ := j.(map[string]any)
		outcomes = append(outcomes, pure(request, func() []outcome { return ask(request) })...)
	}
	if slices.ContainsFunc(outcomes, outcome.differs) && !taken(theirs) {
		return nil
	}
	return outcomes
}

// ruled decodes a schema with rules. There is none where it is not structural.
func ruled(doc any) (*schema.Structural, *reference.Rules) {
	text, err := json.Marshal(doc)
	if m, ok := doc.(map[string]any); err != nil || !ok || m["type"] != "object" {
		return nil, nil
	}
	theirs, err := reference.NewRules(text)
	if err != nil {
		return nil, nil
	}
	props, err := schema.Decode(text)
	if err != nil {
		return nil, nil
	}
	ours, errs := schema.Compile(props)
	if len(errs) > 0 {
		return nil, nil
	}
	return ours, theirs
}

var mostExpensive = regexp.MustCompile(`contributed to estimated rule cost`)

var wrongField = regexp.MustCompile(`^FieldValueRequired|^FieldValueNotSupported|^[^ ]+ [^ ]+\.(message|fieldPath): `)

var selfType = regexp.MustCompile(`selfType[0-9]*`)

// namedAlike gives the type of self the same name everywhere: the reference draws one at random.
func namedAlike(texts []string) []string {
	alike := make([]string, len(texts))
	for i, t := range texts {
		alike[i] = selfType.ReplaceAllString(t, "selfType")
	}
	slices.Sort(alike)
	return alike
}

func costLine(path string, index int, transition bool, cost, cardinality, message uint64) string {
	return fmt.Sprintf("%s[%d] transition %t: cost %d, times %d, message %d", path, index, transition, cost, cardinality, message)
}

func costLines(costs []cel.RuleCost) []string {
	lines := []string{}
	for _, c := range costs {
		lines = append(lines, costLine(c.Path, c.Index, c.Transition, c.Cost, c.Cardinality, c.MessageCost))
	}
	slices.Sort(lines)
	return lines
}

func costLinesReference(costs []reference.RuleCost) []string {
	lines := []string{}
	for _, c := range costs {
		cardinality := uint64(math.MaxUint64)
		if c.Cardinality != nil {
			cardinality = *c.Cardinality
		}
		lines = append(lines, costLine(c.Path, c.Index, c.Transition, c.Cost, cardinality, c.MessageCost))
	}
	slices.Sort(lines)
	return lines
}

// CWH, CRF, CTY, CEN, CER, CES, CCO.
func TestCompileRules(t *testing.T) { compiledRules.run(t) }

// CEV, CVA, CMS, CRC, CLI.
func TestEvaluateRules(t *testing.T) { evaluatedRules.run(t) }

// CEV-005, CEV-035: below the root.
func TestEvaluateValue(t *testing.T) { evaluatedValues.run(t) }
