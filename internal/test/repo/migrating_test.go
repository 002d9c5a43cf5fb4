package repo_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

var goBlock = regexp.MustCompile("(?s)([^\n]+)\n\n```go\n(.*?)\n```\n")

// The Go code of migrating.md, but for what it shows as before, is code of this package, which compiles and has tests.
func TestMigratingShowsThisCode(t *testing.T) {
	page := given.File(t, "../../../docs/migrating.md")
	var code strings.Builder
	for _, file := range given.Files(t, "*_test.go") {
		code.Write(given.File(t, file))
	}
	blocks := goBlock.FindAllStringSubmatch(string(page), -1)
	require.Equal(t, strings.Count(string(page), "```go"), len(blocks), "each block has a line of text before it")
	shown := 0
	for _, b := range blocks {
		if strings.Contains(b[1], "Before: ") || strings.HasSuffix(b[1], "before:") {
			continue
		}
		require.Contains(t, code.String(), b[2])
		shown++
	}
	require.Equal(t, 4, shown)
}
