package crdtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource"
)

// A RoundTripOption changes what [Set.RoundTrips] tests.
type RoundTripOption func(*tripOptions)

type tripOptions struct {
	lossy []string
	given []any
}

// Lossy names fields that a conversion may lose, change or add, each including everything below it: spec.legacy,
// spec.ports[*].name. Values in them may be refused by the other version, too. A name that excuses nothing fails
// the test.
func Lossy(paths ...string) RoundTripOption {
	return func(o *tripOptions) {
		for _, path := range paths {
			o.lossy = append(o.lossy, undotted(path))
		}
	}
}

// Given adds objects to those that are converted, in the form of [Case.Object]. An object without an apiVersion is in
// the storage version.
func Given(objects ...any) RoundTripOption {
	return func(o *tripOptions) { o.given = append(o.given, objects...) }
}

// RoundTrips converts objects of a kind (empty: the only one) from each served version to each other one and back, by
// the converter of the set (see [New]) or the strategy None. The objects are samples, variants of them with other
// values, of which some are at a bound, and those of [Given]; they have labels, annotations and a status. The test
// fails
//
//   - if a conversion is refused: by the converter, or by a server that checks its answer;
//   - if a field is lost, is changed, or is added on the way, unless [Lossy] names it. Null and empty lists and maps
//     count as absent;
//   - if the object is not valid in the other version, or not valid any more afterwards;
//   - if another conversion of the same object, alone or in a list, has another result.
//
// A failure shows the object before, between and after, without the fields that do not matter.
func (s *Set) RoundTrips(t testing.TB, kind string, opts ...RoundTripOption) {
	t.Helper()
	d, err := s.find("", kind)
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	tt, err := d.trips(opts)
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	objects := map[string][]map[string]any{}
	for _, name := range tt.served {
		if objects[name], err = tt.objects(t.Context(), name); err != nil {
			t.Fatalf("crdtest: %v", err)
		}
	}
	found := 0
	for _, from := range tt.served {
		for _, to := range tt.served {
			if from == to {
				continue
			}
			for _, f := range tt.findings(t.Context(), from, to, objects[from]) {
				if found++; found <= maxTripFailures {
					t.Errorf("%s: %s", d.at(1), tt.text(t.Context(), f))
				}
			}
		}
	}
	if found > maxTripFailures {
		t.Errorf("%s: %d more differences", d.at(1), found-maxTripFailures)
	}
	for i, path := range tt.lossy {
		if !tt.excused[i] {
			t.Errorf("%s: nothing is lost at %s", d.at(1), path)
		}
	}
}

// maxTripFailures is how many differences a test prints.
const maxTripFailures = 20

// Trips convert the objects of a definition from one version to another and back.
type trips struct {
	tripOptions
	d       *definition
	of      *resource.Resource
	list    *conversion.Definition
	served  []string
	excused []bool // by the index in lossy
	// makers make and validate the objects of a version, without conversions.
	makers map[string]*sample.Maker
}

// trips prepares round trips.
func (d *definition) trips(opts []RoundTripOption) (*trips, error) {
	tt := &trips{d: d, makers: map[string]*sample.Maker{}}
	for _, o := range opts {
		o(&tt.tripOptions)
	}
	tt.excused = make([]bool, len(tt.lossy))
	if c := d.Spec.Conversion; d.converter == nil && c != nil && c.Strategy == crd.ConversionWebhook {
		return nil, fmt.Errorf("%s: %s", d.at(d.line("spec", "conversion", "strategy")), unconverted)
	}
	var err error
	if tt.of, err = d.compile(); err != nil {
		return nil, err
	}
	if tt.list, err = conversion.Compile(d.CustomResourceDefinition); err != nil {
		return nil, err
	}
	unconverting := *d.CustomResourceDefinition
	unconverting.Spec.Conversion = &crd.Conversion{Strategy: crd.ConversionWebhook}
	valid, err := resource.Compile(&unconverting)
	if err != nil {
		return nil, err
	}
	for _, v := range d.Spec.Versions {
		if v.Served && !slices.Contains(tt.served, v.Name) {
			tt.served = append(tt.served, v.Name)
			of := valid.Version(v.Name).With(resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore})
			tt.makers[v.Name] = sample.For(d.CustomResourceDefinition, of, d.versions[v.Name].rules())
		}
	}
	return tt, nil
}

// A trip is what became of one object.
type trip struct {
	from, to               string
	before, between, after map[string]any
}

// A tripFinding is a difference. Two with the same key have the same cause.
type tripFinding struct {
	trip
	key, what string
	at        []field.Segment // of the field before
}

// findings returns one finding for each difference of the objects.
func (tt *trips) findings(ctx context.Context, from, to string, objects []map[string]any) (all []tripFinding) {
	seen := map[string]bool{}
	var done []trip
	for _, obj := range objects {
		found, t := tt.try(ctx, from, to, obj)
		if t.between != nil {
			done = append(done, t)
		}
		for _, f := range found {
			if !seen[f.key] {
				seen[f.key] = true
				all = append(all, f)
			}
		}
	}
	for _, i := range []int{0, len(done) - 1} { // the smallest and the largest
		if len(all) == 0 && i >= 0 {
			all = tt.tryAgain(ctx, done[i])
		}
	}
	if len(all) == 0 {
		all = tt.tryList(ctx, from, to, done)
	}
	return all
}

// convert converts an object, and drops what the version does not have, as a server does.
func (tt *trips) convert(ctx context.Context, obj map[string]any, to string) (map[string]any, error) {
	v := tt.of.Version(to)
	out, err := v.Convert(ctx, obj)
	if err != nil {
		return nil, err
	}
	return tt.pruned(v, out), nil
}

func (tt *trips) pruned(v *resource.Version, obj map[string]any) map[string]any {
	if keep := tt.d.Spec.PreserveUnknownFields; v.Schema() == nil || keep != nil && *keep {
		return obj
	}
	return defaulting.DropNulls(v.Schema(), prune.Prune(v.Schema(), obj))
}

// try converts an object there and back, and returns what is wrong.
func (tt *trips) try(ctx context.Context, from, to string, obj map[string]any) (all []tripFinding, t trip) {
	t = trip{from: from, to: to, before: obj}
	add := func(key, what string, at []field.Segment) { all = append(all, tripFinding{t, key, what, at}) }
	var err error
	if t.between, err = tt.convert(ctx, obj, to); err != nil {
		add("there", "the conversion to "+to+" is refused: "+err.Error(), nil)
		return all, t
	}
	if t.after, err = tt.convert(ctx, t.between, from); err != nil {
		add("back", "the conversion back to "+from+" is refused: "+err.Error(), nil)
		return all, t
	}
	if s := tt.of.Version(from).Schema(); s != nil {
		t.after = defaulting.Fill(s, t.after)
	}
	for _, d := range fieldChanges(t.before, t.after) {
		if !tt.excuses(d.path) {
			add(d.what+" "+pattern(d.path), pathText(d.path)+" is "+d.what, d.path)
		}
	}
	tt.validity(ctx, to, t.between, func(key, what string) { add(key, "in "+to+", it is not valid: "+what, nil) })
	if len(all) > 0 {
		return all, t
	}
	if !jsonval.Equal(t.before, t.after) {
		tt.validity(ctx, from, t.after, func(key, what string) { add(key, "after the way back, it is not valid: "+what, nil) })
	}
	return all, t
}

// tryAgain repeats conversions of an object.
func (tt *trips) tryAgain(ctx context.Context, t trip) []tripFinding {
	again, err := tt.convert(ctx, t.before, t.to)
	if err != nil || !jsonval.Equal(again, t.between) {
		return []tripFinding{{t, "again", "the same conversion to " + t.to + " has another result the second time", nil}}
	}
	second, err := tt.convert(ctx, t.after, t.to)
	if len(tt.lossy) == 0 && (err != nil || len(fieldChanges(t.between, second)) > 0) {
		return []tripFinding{{t, "again", "the object that came back has another result in " + t.to, nil}}
	}
	return nil
}

// validity reports the errors of a converted object in a version.
func (tt *trips) validity(ctx context.Context, version string, obj map[string]any, report func(key, what string)) {
	r := tt.makers[version].Submit(ctx, obj, nil)
	if r.Failure != nil {
		report("failure", r.Failure.Message)
	}
	for _, e := range r.Errors {
		if !e.RulesSkipped() && !tt.excuses(e.Path.Segments()) {
			report(version+" "+string(e.Type)+" "+pattern(e.Path.Segments()), errorLine(e))
		}
	}
}

// tryList converts the objects in one list, and compares the items with the objects that were converted alone.
func (tt *trips) tryList(ctx context.Context, from, to string, done []trip) []tripFinding {
	if tt.d.converter == nil || len(done) == 0 {
		return nil
	}
	group := tt.d.Spec.Group + "/"
	items := []any{done[0].between} // has the version already
	for _, t := range done {
		items = append(items, t.before)
	}
	list := map[string]any{"apiVersion": group + from, "kind": tt.d.Spec.Names.Kind + "List", "metadata": map[string]any{}, "items": items}
	out, err := tt.list.ConvertList(ctx, tt.d.converter, list, group+to)
	if err != nil {
		return []tripFinding{{done[0], "list", "a list of different objects is refused: " + err.Error(), nil}}
	}
	converted, _ := out["items"].([]any)
	for i, t := range done {
		item, _ := converted[i+1].(map[string]any)
		if item = tt.pruned(tt.of.Version(to), item); len(fieldChanges(t.between, item)) > 0 {
			t.after = item
			return []tripFinding{{t, "list", "in a list of different objects it has another result (shown as after)", nil}}
		}
	}
	return nil
}

// excuses reports whether an option names a path, and notes that.
func (tt *trips) excuses(at []field.Segment) bool {
	path, found := pattern(at), false
	for i, p := range tt.lossy {
		if rest, ok := strings.CutPrefix(path, p); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			tt.excused[i], found = true, true
		}
	}
	return found
}

// pattern returns a path with [*] for indexes.
func pattern(at []field.Segment) string { return indices.ReplaceAllString(pathText(at), "[*]") }

// pathText returns a path as failures print it.
func pathText(at []field.Segment) string {
	text := ""
	for _, s := range at {
		if s.IsIndex {
			text += "[" + strconv.Itoa(s.Index) + "]"
		} else {
			text = join(text, s.Key)
		}
	}
	return text
}

// A fieldChange is a field that a round trip has lost, changed or added.
type fieldChange struct {
	path []field.Segment
	what string
}

// fieldChanges returns the fields that differ, apart from the apiVersion.
func fieldChanges(before, after map[string]any) (all []fieldChange) {
	jsonval.Changes(before, after, func(at *field.Path, what string) bool {
		if path := at.Segments(); path[0].Key != "apiVersion" {
			all = append(all, fieldChange{path, what})
		}
		return true
	})
	return all
}

// text returns the text of a failure, about an object that is as small as possible.
func (tt *trips) text(ctx context.Context, f tripFinding) string {
	if f.key != "list" && f.key != "again" {
		tt.shrink(ctx, &f)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s to %s and back: %s\n", tt.d.Spec.Names.Kind, f.from, f.to, f.what)
	if f.after != nil {
		for _, line := range subset(nil, "", f.before, f.after, true) {
			b.WriteString("    " + line + "\n")
		}
	}
	var marks []yamltext.Mark
	if f.at != nil {
		marks = []yamltext.Mark{{At: f.at, Fail: true}}
	}
	b.WriteString("    before, in " + f.from + ":\n" + yamltext.Print(f.before, "      ", marks))
	if f.between != nil {
		b.WriteString("    between, in " + f.to + ":\n" + yamltext.Print(f.between, "      ", nil))
	}
	if f.after != nil {
		b.WriteString("    after, in " + f.from + ":\n" + yamltext.Print(f.after, "      ", nil))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxShrinks is how many smaller objects are tried for a failure.
const maxShrinks = 300

// shrink removes fields from the object of a finding, as long as it is valid and has the finding.
func (tt *trips) shrink(ctx context.Context, f *tripFinding) {
	left := maxShrinks
	valid := func(obj map[string]any) bool { return tt.makers[f.from].Submit(ctx, obj, nil).Err() == nil }
	keeps := func(obj map[string]any) bool {
		if left--; left < 0 || !valid(obj) {
			return false
		}
		obj, err := tt.read(f.from, obj)
		if err != nil {
			return false
		}
		found, _ := tt.try(ctx, f.from, f.to, obj)
		i := slices.IndexFunc(found, func(g tripFinding) bool { return g.key == f.key })
		if i >= 0 {
			*f = found[i]
		}
		return i >= 0
	}
	var visit func(obj map[string]any, put func(map[string]any) map[string]any)
	visit = func(obj map[string]any, put func(map[string]any) map[string]any) {
		keys := slices.Sorted(maps.Keys(obj))
		for size := len(keys); size > 0 && left > 0; size /= 2 {
			for from := 0; from < len(keys) && left > 0; {
				smaller := maps.Clone(obj)
				for _, key := range keys[from:min(from+size, len(keys))] {
					delete(smaller, key)
				}
				if keeps(put(smaller)) {
					obj = smaller
					keys = slices.Delete(slices.Clone(keys), from, min(from+size, len(keys)))
				} else {
					from += size
				}
			}
		}
		for _, key := range keys {
			if child, ok := obj[key].(map[string]any); ok && left > 0 {
				visit(child, func(smaller map[string]any) map[string]any {
					outer := maps.Clone(obj)
					outer[key] = smaller
					obj = outer
					return put(outer)
				})
			}
		}
	}
	root := maps.Clone(f.before)
	fixed := map[string]any{}
	for _, key := range []string{"apiVersion", "kind", "metadata"} {
		fixed[key] = root[key]
		delete(root, key)
	}
	visit(root, func(obj map[string]any) map[string]any {
		whole := maps.Clone(obj)
		maps.Copy(whole, fixed)
		return whole
	})
}

// fuzzed returns the failures of an object that a fuzzer has made, if a version accepts it.
func (tt *trips) fuzzed(ctx context.Context, version string, obj map[string]any) (texts []string) {
	name, namespace := identity(obj)
	obj = filled(obj, tt.d, version, name, namespace)
	if tt.makers[version].Submit(ctx, obj, nil).Err() != nil {
		return nil
	}
	read, err := tt.read(version, obj)
	if err != nil {
		return []string{err.Error()}
	}
	for _, to := range tt.served {
		if to != version {
			for _, f := range tt.findings(ctx, version, to, []map[string]any{read}) {
				texts = append(texts, tt.text(ctx, f))
			}
		}
	}
	return texts
}
