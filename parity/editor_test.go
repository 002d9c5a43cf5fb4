package parity

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/internal/tool/jsonschema"
)

// A recorded create of an object, and whether the server took it.
type recordedCreate struct {
	Name, CRD, Version, Op string
	Object                 json.RawMessage
	Errors                 []struct{ Type, Message string }
	Warnings               []string
	Failure                json.RawMessage
}

// Of the objects that a server took, without a word about unknown fields, an editor's schema refuses none. Those that
// the server refuses, for other reasons than rules, and the schema does not, are counted by the kind of the error: the
// test prints them with -v.
func TestEditorSchemasOfRecordedObjects(t *testing.T) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		t.Skip("CRDKIT_CONFORMANCE names no directory of recorded answers")
	}
	for _, draft := range []jsonschema.Draft{jsonschema.Draft7, jsonschema.Draft2020_12} {
		t.Run(string(draft), func(t *testing.T) {
			taken, refused, missed := 0, 0, map[string]int{}
			for _, area := range []string{"suites", "random"} {
				for _, file := range given.Files(t, filepath.Join(dir, area, "*.jsonl")) {
					compareRecorded(t, draft, filepath.Join(dir, area), file, &taken, &refused, missed)
				}
			}
			require.NotZero(t, taken)
			t.Logf("%d objects are taken by both; %d are refused by the server for their schema", taken, refused)
			for _, kind := range slices.Sorted(maps.Keys(missed)) {
				t.Logf("%6d refused by the server alone: %s", missed[kind], kind)
			}
		})
	}
}

func compareRecorded(t *testing.T, draft jsonschema.Draft, dir, file string, taken, refused *int, missed map[string]int) {
	t.Helper()
	compiled := map[string]*santhosh.Schema{}
	for c := range given.Rows[recordedCreate](t, file) {
		if c.Op != "create" || c.Failure != nil && string(c.Failure) != "null" {
			continue
		}
		key := c.CRD + " " + c.Version
		if compiled[key] == nil {
			compiled[key] = editorSchema(t, draft, filepath.Join(dir, c.CRD), c.Version)
		}
		obj, err := santhosh.UnmarshalJSON(strings.NewReader(string(c.Object)))
		require.NoError(t, err)
		err = compiled[key].Validate(obj)
		unknown := slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.HasPrefix(w, "unknown field") })
		switch {
		case len(c.Errors) == 0 && !unknown:
			require.NoError(t, err, "%s: %s: %s", file, c.Name, c.Object)
			*taken++
		case len(c.Errors) > 0 && !slices.ContainsFunc(c.Errors, func(e struct{ Type, Message string }) bool { return ofRule(e.Message) }):
			*refused++
			if err == nil {
				missed[fmt.Sprintf("%s %s", c.Errors[0].Type, wording(c.Errors[0].Message))]++
			}
		}
	}
}

// ofRule reports whether an error may be that of a rule: it has no text that validation of a schema has.
func ofRule(message string) bool {
	return wording(message) == ""
}

// wording returns what the text of an error has that those of one keyword share.
func wording(message string) string {
	for _, w := range []string{
		"should match", "should be at least", "may not be more", "should be greater", "should be less", "must be of type", "Unsupported value", "Duplicate value",
		"Required value", "Too long", "Too many", "should have at least", "must validate one and only one", "must validate at least one", "must validate all",
		"must not validate the schema", "should be a multiple",
	} {
		if strings.Contains(message, w) {
			return w
		}
	}
	return ""
}

func editorSchema(t *testing.T, draft jsonschema.Draft, file, version string) *santhosh.Schema {
	t.Helper()
	s, err := jsonschema.Version(given.Definition(t, given.File(t, file)), version, jsonschema.Options{Draft: draft})
	require.NoError(t, err)
	document, err := santhosh.UnmarshalJSON(strings.NewReader(string(given.JSON(t, s.Document))))
	require.NoError(t, err)
	c := santhosh.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", document))
	compiled, err := c.Compile("schema.json")
	require.NoError(t, err, file)
	return compiled
}
