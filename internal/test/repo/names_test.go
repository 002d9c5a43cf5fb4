package repo

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	function = regexp.MustCompile(`^func (?:\((?:\w+ )?(\*?\w+)\) )?(\w+)\((.*)$`)
	status   = regexp.MustCompile(`, (\w+ )?\*field\.Status\)$`)
)

// A declared is a function or a method as docs/api.txt has it.
type declared struct{ pkg, receiver, name, rest string }

// faults returns how functions break the rules of docs/api-names.md that their signatures can show.
func faults(functions []declared) []string {
	named := map[string]bool{}
	for _, f := range functions {
		named[f.pkg+"."+f.receiver+"."+f.name] = true
	}
	var out []string
	fault := func(f declared, text string) { out = append(out, f.pkg+"."+f.name+": "+text) }
	for _, f := range functions {
		has := func(name string) bool { return named[f.pkg+"."+f.receiver+"."+name] }
		parameters, _, _ := strings.Cut(f.rest, ") ")
		text := strings.Contains(parameters, "[]byte") || strings.Contains(parameters, "manifest string")
		switch {
		case strings.HasPrefix(f.name, "Parse"), strings.HasPrefix(f.name, "Decode"):
			if !text {
				fault(f, "takes no text")
			}
		case strings.HasPrefix(f.name, "From"):
			if text {
				fault(f, "takes text")
			}
		case strings.HasPrefix(f.name, "Validate"):
			if !strings.HasSuffix(f.rest, " field.List") {
				fault(f, "returns no field.List")
			}
		case f.name == "Check":
			if !strings.HasSuffix(f.rest, " error") && !strings.HasSuffix(f.rest, " error)") {
				fault(f, "returns no error")
			}
		}
		if base, ok := strings.CutSuffix(f.name, "Within"); ok {
			if !has(base) {
				fault(f, "there is no "+base)
			}
			if !strings.HasSuffix(parameters, "Limit") && !strings.HasSuffix(parameters, "work *int") {
				fault(f, "has no limit as its last parameter")
			}
		}
		if base, ok := strings.CutSuffix(f.name, "Strict"); ok && !has(base) {
			fault(f, "there is no "+base)
		}
		if status.MatchString(f.rest) {
			fault(f, "returns a Status beside a value: a nil one is not nil as an error")
		}
	}
	return out
}

func readListing(listing string) []declared {
	var out []declared
	pkg := ""
	for line := range strings.Lines(listing) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# "); ok {
			pkg = name
		}
		if m := function.FindStringSubmatch(line); m != nil {
			out = append(out, declared{pkg, m[1], m[2], m[3]})
		}
	}
	return out
}

func TestNames(t *testing.T) {
	require.Empty(t, faults(readListing(listing(t))))
}

func TestNamesBroken(t *testing.T) {
	require.Equal(t, []string{
		"a.ParseFile: takes no text",
		"a.FromText: takes text",
		"a.ValidateAll: returns no field.List",
		"a.Check: returns no error",
		"a.EvenWithin: there is no Even",
		"a.EvenWithin: has no limit as its last parameter",
		"a.OddStrict: there is no Odd",
		"a.Scale: returns a Status beside a value: a nil one is not nil as an error",
	}, faults(readListing("\n# a\n"+
		"func ParseFile(name string) error\n"+
		"func FromText(data []byte) any\n"+
		"func ValidateAll(a any) error\n"+
		"func (t T) Check() field.List\n"+
		"func (t *T) EvenWithin(n int) error\n"+
		"func (t *T) OddStrict() error\n"+
		"func (t T) Even() error\n"+
		"func (v *T) Scale(a any) (b any, refused *field.Status)\n")))
}
