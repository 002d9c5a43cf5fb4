package hostile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/crdlint"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/jsonschema"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/openapi"
	"github.com/crdkit/crdkit/resource"
)

// The matrix is every hostile definition with every operation on definitions, and with every command.

var matrixOnly = flag.String("matrix", "", "run only the cells of the matrix whose names contain this text")

// matrixTime is the CPU time that an operation may take for a definition of at most 1 MiB.
const matrixTime = 2 * time.Second

// A matrixOperation is one column of the matrix.
type matrixOperation struct {
	name string
	call func(m *matrixInput) string
}

// A matrixInput is a definition, its text, and another one of the same name that differs in many places.
type matrixInput struct {
	d, changed        *crd.CustomResourceDefinition
	text, changedText string
	compiled          *resource.Version // of d; nil until it is needed
}

// tests and changedTests return the definitions for package crdtest, which compiles what it needs only when it does.
func (m *matrixInput) tests() *crdtest.Set        { return crdtest.Parse(&quiet{}, m.text) }
func (m *matrixInput) changedTests() *crdtest.Set { return crdtest.Parse(&quiet{}, m.changedText) }

// matrixOperations are the operations of the library. The small ones come first.
var matrixOperations = []matrixOperation{
	{"crdcheck.Validate", func(m *matrixInput) string { return errorAnswer(crdcheck.Validate(m.d)) }},
	{"crdcheck.ValidateUpdate", func(m *matrixInput) string { return errorAnswer(crdcheck.ValidateUpdate(m.changed, m.d)) }},
	{"crdcheck.Warnings", func(m *matrixInput) string {
		return fmt.Sprint(len(crdcheck.Warnings(m.changed, m.d)), " warnings, ", len(crdcheck.Hints(m.d)), " hints")
	}},
	{"crdlint.Find", func(m *matrixInput) string {
		checked := crdcheck.Compile(m.d)
		found := crdlint.Find(context.Background(), checked, &crdlint.Options{Others: []*crd.CustomResourceDefinition{m.changed}})
		bytes := 0
		for i := range found {
			bytes += len(found[i].Path) + len(found[i].String())
			if w := found[i].Witness; w != nil {
				bytes += len(w.String())
			}
		}
		return fmt.Sprintf("%d findings, %d bytes, %.100v", len(found), bytes, checked.Errors().Err())
	}},
	{"crdcheck.Costs", func(m *matrixInput) string {
		n := 0
		for _, s := range crdcheck.Costs(m.d).Schemas {
			n += len(s.Rules)
		}
		return fmt.Sprint(n, " costs")
	}},
	{"kubeversion.Range", func(m *matrixInput) string {
		n, notes := 0, 0
		for _, v := range kubeversion.Range(m.d) {
			n, notes = n+len(v.Errors), notes+len(v.Notes)
		}
		return fmt.Sprint(n, " errors, ", notes, " notes")
	}},
	{"resource.Compile", func(m *matrixInput) string {
		_, err := resource.Compile(m.d)
		return fmt.Sprintf("compiled: %.200v", err)
	}},
	{"openapi.V3", func(m *matrixInput) string {
		d, err := openapi.V3(m.d, "v1")
		text, _ := json.Marshal(d)
		return fmt.Sprintf("%d bytes %.200v", len(text), err)
	}},
	{"openapi.V2", func(m *matrixInput) string {
		d, err := openapi.V2(m.d)
		text, _ := json.Marshal(d)
		return fmt.Sprintf("%d bytes %.200v", len(text), err)
	}},
	{"jsonschema.Version", func(m *matrixInput) string {
		s, err := jsonschema.Version(m.d, "v1", jsonschema.Options{})
		if err != nil {
			return err.Error()
		}
		text, err := json.Marshal(jsonschema.Merge([]*jsonschema.Schema{s}, jsonschema.Options{}))
		return fmt.Sprintf("%d bytes, %d notes %.200v", len(text), len(s.Notes), err)
	}},
	{"explain.Field", func(m *matrixInput) string {
		i, err := explain.Field(m.d, "v1", []string{"spec"})
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%d fields, %d rules, %d notes", len(i.Fields), len(i.Rules), len(i.Notes))
	}},
	{"explain.Field, deep", func(m *matrixInput) string {
		i, err := explain.Field(m.d, "v1", append([]string{"spec"}, slices.Repeat([]string{"a"}, 400)...))
		if err != nil {
			return fmt.Sprintf("%.200v", err)
		}
		return fmt.Sprintf("%d fields", len(i.Fields))
	}},
	{"audit.Run", func(m *matrixInput) string {
		a, err := audit.New(m.changed, &audit.Options{Old: m.d})
		if err != nil {
			return fmt.Sprintf("%.200v", err)
		}
		object := `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default"},"spec":{"a":1,"b":"x"}}`
		r, err := a.Run(context.Background(), audit.Objects(strings.NewReader(object)))
		return fmt.Sprintf("%d objects, %d findings %.200v", r.Objects, len(r.Findings), err)
	}},
	{"sample.Minimal", func(m *matrixInput) string { return m.sampled((*sample.Maker).Minimal) }},
	{"sample.Full", func(m *matrixInput) string { return m.sampled((*sample.Maker).Full) }},
	{"sample.BreakAll", func(m *matrixInput) string {
		maker, err := m.maker()
		if err != nil {
			return fmt.Sprintf("%.200v", err)
		}
		broken, missing, err := maker.BreakAll(context.Background())
		return fmt.Sprintf("%d broken, %d missing %.200v", len(broken), len(missing), err)
	}},
	{"compat.Compare, equal", func(m *matrixInput) string { return matrixReport(compat.Compare(context.Background(), m.d, m.d, nil)) }},
	{"compat.Compare", func(m *matrixInput) string {
		return matrixReport(compat.Compare(context.Background(), m.d, m.changed, nil))
	}},
	{"compat.Versions", func(m *matrixInput) string { return matrixReport(compat.Versions(context.Background(), m.d, nil)) }},
	{"crdtest.Accepted", func(m *matrixInput) string { return quietly(func(t testing.TB) { m.tests().Accepted(t) }) }},
	{"crdtest.AcceptedSince", func(m *matrixInput) string {
		return quietly(func(t testing.TB) { m.tests().AcceptedSince(t, "1.33") })
	}},
	{"crdtest.AcceptedUpdate", func(m *matrixInput) string {
		return quietly(func(t testing.TB) { m.changedTests().AcceptedUpdate(t, m.tests()) })
	}},
	{"crdtest.Compatible", func(m *matrixInput) string {
		return quietly(func(t testing.TB) { m.changedTests().Compatible(t, m.tests()) })
	}},
	{"crdtest.RequireCosts", func(m *matrixInput) string {
		return quietly(func(t testing.TB) { m.tests().RequireCosts(t, os.DevNull) })
	}},
	{"crdtest.Samples", func(m *matrixInput) string {
		s, err := m.tests().Samples(context.Background(), "Widget", "v1")
		if err != nil {
			return fmt.Sprintf("%.200v", err)
		}
		return fmt.Sprintf("%d broken, %d missing", len(s.Broken), len(s.Missing))
	}},
	{"crdtest.Coverage", func(m *matrixInput) string {
		r := m.tests().Coverage()
		return fmt.Sprintf("%d rows, %d bytes", len(r.Rows), len(r.String()))
	}},
}

func matrixReport(r *compat.Report, err error) string {
	if err != nil {
		return fmt.Sprintf("%.200v", err)
	}
	return fmt.Sprintf("%s in %d findings, %d bytes, %d of JSON", r.Worst(), len(r.Findings), len(r.String()), len(r.JSON()))
}

// maker returns a maker of samples of the definition.
func (m *matrixInput) maker() (*sample.Maker, error) {
	if m.compiled == nil {
		r, err := resource.Compile(m.d)
		if err != nil {
			return nil, err
		}
		m.compiled = r.StorageVersion()
	}
	v := m.compiled
	return sample.For(m.d, v, constraint.VersionRules(m.d, v.Name())), nil
}

func (m *matrixInput) sampled(make func(*sample.Maker, context.Context) (map[string]any, error)) string {
	maker, err := m.maker()
	if err != nil {
		return fmt.Sprintf("%.200v", err)
	}
	obj, err := make(maker, context.Background())
	text, _ := json.Marshal(obj)
	return fmt.Sprintf("%d bytes %.200v", len(text), err)
}

// A quiet is a test that counts what it is told.
type quiet struct {
	testing.TB
	lines, bytes int
}

func (q *quiet) Helper()                   {}
func (q *quiet) Name() string              { return "TestQuiet" }
func (q *quiet) Context() context.Context  { return context.Background() }
func (q *quiet) Cleanup(func())            {}
func (q *quiet) Log(args ...any)           { q.say(fmt.Sprint(args...)) }
func (q *quiet) Logf(f string, a ...any)   { q.say(fmt.Sprintf(f, a...)) }
func (q *quiet) Error(args ...any)         { q.Log(args...) }
func (q *quiet) Errorf(f string, a ...any) { q.Logf(f, a...) }
func (q *quiet) Fatalf(f string, a ...any) { q.Logf(f, a...); runtime.Goexit() }
func (q *quiet) Fatal(args ...any)         { q.Log(args...); runtime.Goexit() }
func (q *quiet) say(text string)           { q.lines, q.bytes = q.lines+1, q.bytes+len(text) }

// quietly runs a function of package crdtest, and returns how much it reported.
func quietly(test func(t testing.TB)) string {
	q := &quiet{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		test(q)
	}()
	<-ended
	return fmt.Sprintf("%d lines, %d bytes", q.lines, q.bytes)
}

func newMatrixInput(d matrixDefinition, n int) (*matrixInput, error) {
	m := &matrixInput{text: d.text(n, false), changedText: d.text(n, true)}
	var err error
	var bad error
	m.d, err = crd.Parse([]byte(m.text))
	m.changed, bad = crd.Parse([]byte(m.changedText))
	return m, errors.Join(err, bad)
}

// TestMatrix runs the operations of the library on all definitions. Those with one definition share a process.
func TestMatrix(t *testing.T) {
	needsMatrix(t, *matrixOnly != "")
	for _, d := range matrixDefinitions {
		var operations []string
		for _, op := range matrixOperations {
			if strings.Contains(d.name+": "+op.name, *matrixOnly) {
				operations = append(operations, op.name)
			}
		}
		if len(operations) == 0 {
			continue
		}
		if !*full {
			m, err := newMatrixInput(d, max(1, d.n/shrink))
			require.NoError(t, err, d.name)
			for _, op := range matrixOperations {
				if slices.Contains(operations, op.name) {
					require.NotEmpty(t, op.call(m), "no answer: %s: %s", d.name, op.name)
				}
			}
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			whole, quarter := matrixCells(d, d.n, operations), matrixCells(d, d.n/4, operations)
			for _, op := range operations {
				t.Run(op, func(t *testing.T) {
					cells := map[int][]matrixCell{d.n: {whole[op]}, d.n / 4: {quarter[op]}}
					size := float64(len(d.text(d.n, false)))
					grows := size / float64(len(d.text(d.n/4, false)))
					if size < matrixGrowing {
						grows = 0
					}
					judge(t, d.n, grows, func(n int) (measured, error) {
						if len(cells[n]) == 0 { // it was used: again
							cells[n] = []matrixCell{matrixCells(d, n, []string{op})[op]}
						}
						cell := cells[n][0]
						cells[n] = nil
						return cell.measured, cell.err
					})
				})
			}
		})
	}
}

// needsMatrix skips a test without the flag -hostile, unless it can run otherwise.
func needsMatrix(t *testing.T, otherwise bool) {
	t.Helper()
	switch {
	case raced:
		t.Skip("the race detector makes the rows slower, and they are not about races")
	case !*full && !otherwise:
		t.Skip("needs -hostile")
	case !*full:
	case !limited:
		t.Skip("processes cannot be limited on this system")
	default:
		measureSlowness(t)
	}
}

// A matrixCell is what came of an operation.
type matrixCell struct {
	measured
	err error
}

// A matrixLine is what the process of a definition prints after each operation.
type matrixLine struct {
	Operation string
	measured
}

// matrixCells runs operations on a definition of a size, in a process. Each has the limits of a row. If one ends the
// process, the others run in another.
func matrixCells(d matrixDefinition, n int, operations []string) map[string]matrixCell {
	cells := map[string]matrixCell{}
	for len(operations) > 0 {
		cmd := exec.Command(os.Args[0], operations...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d", matrixVariable, d.name, n), fmt.Sprintf("%s=%d", slownessVariable, slowness.Load()), "GOMAXPROCS=2")
		var out, problems bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &problems
		clock := time.AfterFunc(time.Duration(len(operations))*2*cpuLimit+time.Minute, func() { _ = cmd.Process.Kill() })
		err := cmd.Run()
		clock.Stop()
		for d := json.NewDecoder(&out); ; operations = operations[1:] {
			var line matrixLine
			if d.Decode(&line) != nil || len(operations) == 0 || line.Operation != operations[0] {
				break
			}
			cells[line.Operation] = matrixCell{measured: line.measured}
		}
		if len(operations) > 0 {
			first, _, _ := strings.Cut(problems.String(), "\n\n")
			cells[operations[0]] = matrixCell{err: fmt.Errorf("size %d: %w: %.500s", n, cmp.Or(err, errors.New("it ended")), first)}
			operations = operations[1:]
		}
	}
	return cells
}

// matrixChild runs operations on one definition, and prints what was measured.
func matrixChild(which string, operations []string) int {
	name, size, _ := strings.Cut(which, "|")
	n, err := strconv.Atoi(size)
	index := slices.IndexFunc(matrixDefinitions, func(d matrixDefinition) bool { return d.name == name })
	if err = errors.Join(err, readSlowness(), limitMemory()); err != nil || index < 0 {
		fmt.Fprintln(os.Stderr, "cannot run", which, err)
		return 2
	}
	endBeyond()
	m, err := newMatrixInput(matrixDefinitions[index], max(1, n))
	for _, op := range matrixOperations {
		if !slices.Contains(operations, op.name) {
			continue
		}
		line := matrixLine{Operation: op.name}
		debug.FreeOSMemory()
		if bad := limitNext(); bad != nil {
			fmt.Fprintln(os.Stderr, bad)
			return 2
		}
		before := cpuTime()
		if err != nil {
			line.Answer = "not read: " + err.Error()
		} else {
			line.Answer = op.call(m)
		}
		line.CPU, line.Peak = cpuTime()-before, peakOfNow()
		line.Answer = line.Answer[:min(len(line.Answer), 1<<12)]
		if json.NewEncoder(os.Stdout).Encode(line) != nil {
			return 2
		}
	}
	return 0
}

// judge checks what a cell took. Run runs it at a size. The time of the whole may be generous times what the aim is,
// since a test must not depend on what else the machine does. If grows is not 0, it also compares the time with that for
// a quarter of n, which makes a definition that is smaller by that factor.
func judge(t *testing.T, n int, grows float64, run func(n int) (measured, error)) {
	t.Helper()
	got, err := run(n)
	for tries := 1; tries < 3 && (err != nil || got.CPU > scaled(generous*matrixTime)); tries++ {
		again, bad := run(n)
		if bad == nil && (err != nil || again.CPU < got.CPU) {
			got, err = again, nil
		}
	}
	require.NoError(t, err)
	t.Logf("%v of CPU, %d MiB: %.200s", got.CPU.Round(time.Millisecond), got.Peak>>20, got.Answer)
	require.LessOrEqual(t, got.CPU, scaled(generous*matrixTime), "CPU time")
	require.LessOrEqual(t, got.Peak, int64(memoryLimit), "bytes of memory")
	small := time.Duration(math.MaxInt64)
	for try := 0; grows > 0 && got.CPU >= scaled(matrixFloor); try++ {
		again, err := run(n / 4)
		require.NoError(t, err)
		small = min(small, again.CPU)
		exponent := power(small, got.CPU, grows)
		if exponent < maxExponent {
			t.Logf("growth %.2f", exponent)
			return
		}
		require.Less(t, try, 4, "the time grows with the power %.2f of the size: %v for a quarter, %v for the whole", exponent, small, got.CPU)
		again, err = run(n)
		require.NoError(t, err)
		got.CPU = min(got.CPU, again.CPU)
	}
}

// generous is by how much a cell may exceed matrixTime.
const generous = 2

// The least time and the least definition for which growth is measured: a small definition with much work, such as one
// of lists that must have items below each other, always uses up a limit of work.
const (
	matrixFloor   = 500 * time.Millisecond
	matrixGrowing = 64 << 10
)

// matrixCommands are the commands, with their arguments for a definition in old.json and a changed one in new.json.
var matrixCommands = [][]string{
	{"check", "old.json"},
	{"check", "-strict", "-o", "sarif", "old.json"},
	{"validate", "-crd", "old.json", "object.json"},
	{"compat", "old.json", "new.json"},
	{"compat", "-harmless", "-o", "json", "old.json", "old.json"},
	{"audit", "-crd", "new.json", "-old", "old.json", "object.json"},
	{"versions", "old.json"},
	{"cost", "old.json"},
	{"cost", "-fix", "copy.json"},
	{"explain", "-crd", "old.json", "Widget.spec"},
	{"explain", "-crd", "old.json", "-o", "json", "Widget"},
	{"schema", "old.json"},
	{"schema", "-d", "schemas", "old.json"},
	{"sample", "-crd", "old.json", "Widget"},
	{"sample", "-crd", "old.json", "-full", "Widget"},
	{"sample", "-crd", "old.json", "-broken", "Widget"},
	{"init", "-d", "made", "old.json"},
}

// commandShrink is by how much definitions are smaller for commands: all of them together must not take minutes, and
// most of their work is that of the library.
const commandShrink = 4

// TestMatrixOfCommands runs the commands on all definitions.
func TestMatrixOfCommands(t *testing.T) {
	needsMatrix(t, false)
	program := filepath.Join(t.TempDir(), "crdkit")
	built, err := exec.Command("go", "build", "-o", program, "../../../cmd/crdkit").CombinedOutput()
	require.NoError(t, err, "%s", built)
	for _, d := range matrixDefinitions {
		for _, args := range matrixCommands {
			name := d.name + ": crdkit " + strings.Join(args, " ")
			if !strings.Contains(name, *matrixOnly) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dirs := map[int]string{}
				judge(t, max(d.n/commandShrink, 1), 0, func(n int) (measured, error) {
					if dirs[n] == "" {
						dirs[n] = t.TempDir()
						old := d.text(n, false)
						object := `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default"},"spec":{"a":1,"b":"x"}}`
						for file, text := range map[string]string{"old.json": old, "copy.json": old, "new.json": d.text(n, true), "object.json": object} {
							require.NoError(t, os.WriteFile(filepath.Join(dirs[n], file), []byte(text), 0o600))
						}
					}
					return inCommand(program, dirs[n], args)
				})
			})
		}
	}
}

// inCommand runs a program in a directory with the limits of a row. Exit codes up to 2 are answers.
func inCommand(program, dir string, args []string) (m measured, err error) {
	ctx, stop := context.WithTimeout(context.Background(), 60*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{program}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), programVariable+"=1", fmt.Sprintf("%s=%d", slownessVariable, slowness.Load()), "GOMAXPROCS=2")
	out, problems := &counted{}, &counted{}
	cmd.Stdout, cmd.Stderr = out, problems
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 2) && !strings.Contains(problems.first.String(), "goroutine ") {
		err = nil
	}
	if err != nil {
		return m, fmt.Errorf("%w: %.500s", err, problems.first.String())
	}
	m.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.Peak = peak(cmd.ProcessState)
	m.Answer = fmt.Sprintf("%d bytes, %d of errors: %.100s", out.size, problems.size, problems.first.String())
	return m, nil
}

// A counted is a writer that keeps the first bytes only.
type counted struct {
	first bytes.Buffer
	size  int
}

func (c *counted) Write(p []byte) (int, error) {
	c.size += len(p)
	c.first.Write(p[:min(len(p), max(0, 1<<12-c.first.Len()))])
	return len(p), nil
}
