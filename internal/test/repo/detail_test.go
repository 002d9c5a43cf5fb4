package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// details has the files that read a Detail, with the number of lines that do. Nothing learns from the text of an error
// what the error is about: field.Error.Cause says it, and Error.Path.
var details = map[string]int{
	"apply/conflict.go":                            1, // the message of a Status
	"compat/noopupdate.go":                         1, // sets that of a compat.Finding
	"compat/report.go":                             1, // prints one
	"compat/walk.go":                               1, // sets one
	"crd/bind.go":                                  1, // a crd.ParseError
	"crd/conditions.go":                            1, // the message of a condition
	"crd/parse.go":                                 1, // prints a crd.ParseError
	"crdtest/compatible.go":                        1, // prints a compat.Finding
	"crdtest/files.go":                             1, // a test's expectation
	"crdtest/match.go":                             5, // prints and compares a test's expectation
	"internal/refusal/list.go":                     1, // the length
	"internal/tool/finding/list.go":                1, // prints it
	"internal/objectmeta/rules.go":                 1, // sets that of an older server
	"internal/objectmeta/validate.go":              1, // likewise, of a newer one
	"internal/validity/messages.go":                4, // the text of another error
	"internal/validity/errors.go":                  1, // likewise
	"registry/load.go":                             1, // a crd.ParseError
	"schema/decode.go":                             2, // prints it
	"field/error.go":                               2, // prints it
	"examples/playground/internal/engine/views.go": 1, // a compat.Finding
}

func TestNobodyReadsTexts(t *testing.T) {
	const root = "../../.."
	read := regexp.MustCompile(`\.Detail\b`)
	found := map[string]int{}
	require.NoError(t, filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if read.MatchString(line) {
				rel, err := filepath.Rel(root, name)
				if err != nil {
					return err
				}
				found[filepath.ToSlash(rel)]++
			}
		}
		return nil
	}))
	require.Equal(t, details, found)
}
