package sample_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validate"
)

// definitions is for a look at other definitions than those of this repository:
//
//	go test ./internal/tool/sample -run Definitions -v -definitions 'DIR/*.yaml'
var (
	definitions = flag.String("definitions", "", "a glob of files with definitions that TestDefinitions makes samples for")
	missing     = flag.Bool("missing", false, "let TestDefinitions name the constraints that it finds no object for")
)

// tally counts what was found for the versions of some definitions.
type tally struct {
	versions, minimal, full           int
	constraints, broken, rules, ruled int
	causes                            int // of errors, checked
}

func (a *tally) add(b tally) {
	a.versions += b.versions
	a.minimal += b.minimal
	a.full += b.full
	a.constraints += b.constraints
	a.broken += b.broken
	a.rules += b.rules
	a.ruled += b.ruled
	a.causes += b.causes
}

func (a tally) String() string {
	return fmt.Sprintf("%d versions: %d minimal and %d full samples are valid; %d of %d constraints and %d of %d rules have an object that breaks just them; %d errors have their cause",
		a.versions, a.minimal, a.full, a.broken, a.constraints, a.ruled, a.rules, a.causes)
}

// requireCauses requires of each error of a broken object that a schema without the cause does not give it. Of many
// objects of a schema it checks the first. It returns the number of errors.
func requireCauses(t *testing.T, props *schema.JSONSchemaProps, b sample.Broken, nth int) (checked int) {
	if nth > 40 {
		return 0
	}
	for _, e := range b.Errors {
		without, err := schema.CompileLoose(given.Without(t, props, e.Cause()))
		require.NoError(t, err)
		errs := validate.Validate(without, b.Object)
		errs = append(errs, cel.Prepare(without).Evaluate(t.Context(), b.Object, b.Old, nil).Errors...)
		for _, other := range errs {
			require.False(t, other.Error() == e.Error() && other.Cause() == e.Cause(), "%s also without its cause: %+v", e, e.Cause())
		}
		checked++
	}
	return checked
}

// look makes all samples of a version.
func look(t *testing.T, d *crd.CustomResourceDefinition, r *resource.Resource, version, name string) tally {
	ctx, c := context.Background(), tally{versions: 1}
	m := sample.For(d, r.Version(version), constraint.VersionRules(d, version))
	if _, err := m.Minimal(ctx); err == nil {
		c.minimal++
	} else {
		t.Logf("%s %s: no minimal sample: %v", name, version, err)
	}
	if _, err := m.Full(ctx); err == nil {
		c.full++
	} else if *missing {
		t.Logf("%s %s: no full sample: %v", name, version, err)
	}
	props, err := d.Lookup().Schema(version)
	require.NoError(t, err)
	constraints, _ := constraint.List(r.Version(version).Schema())
	for _, k := range constraints {
		c.constraints++
		if b, err := m.Break(ctx, k); err == nil {
			c.broken++
			c.causes += requireCauses(t, props, b, c.constraints)
		} else if *missing {
			t.Logf("%s %s: %s %s", name, version, k.Path, k.Text)
		}
	}
	for _, rule := range constraint.Rules(props) {
		c.rules++
		if b, err := m.BreakRule(ctx, rule); err == nil {
			c.ruled++
			c.causes += requireCauses(t, props, b, c.rules)
		} else if *missing {
			t.Logf("%s %s: %s: %s", name, version, rule.Path, rule.Rule)
		}
	}
	t.Logf("%s %s: %d constraints, %d rules, work %d", name, version, c.constraints, c.rules, m.Work())
	return c
}

func tallyOf(t *testing.T, glob string) tally {
	files := given.Files(t, glob)
	var total tally
	for _, file := range files {
		all, err := crd.ParseBundle(given.File(t, file))
		require.NoError(t, err, file)
		for _, d := range all {
			r, err := compile(d)
			require.NoError(t, err, file)
			for _, v := range d.Spec.Versions {
				start := time.Now()
				c := look(t, d, r, v.Name, filepath.Base(file))
				total.add(c)
				if took := time.Since(start); took > 2*time.Second {
					t.Logf("%s %s: %v for %d constraints and %d rules", filepath.Base(file), v.Name, took.Round(time.Millisecond), c.constraints, c.rules)
				}
			}
		}
	}
	return total
}

// TestDefinitions makes samples for other definitions, and prints how many there are.
func TestDefinitions(t *testing.T) {
	if *definitions == "" {
		t.Skip("no -definitions")
	}
	total := tallyOf(t, *definitions)
	t.Log(total)
	require.Equal(t, total.versions, total.minimal, "some version has no valid sample")
	require.GreaterOrEqual(t, total.broken*10, total.constraints*9, "too few constraints have an object that breaks them")
}

func compile(d *crd.CustomResourceDefinition) (*resource.Resource, error) {
	reg, err := registry.New(d)
	if err != nil {
		return nil, err
	}
	return reg.Definitions()[0].Compile()
}
