package kubeversion

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/internal/test/given"
)

// page returns docs/kubeversion.md, made from the table of facts.
func page() string {
	var b strings.Builder
	b.WriteString("# What came with which Kubernetes\n\n" +
		"This page is written by `go test ./kubeversion -update` from the table that package kubeversion checks definitions by.\n" +
		"A function counts from the first minor version whose *new* rules may call it. The facts are about the newest patch release of a minor\n" +
		"version, with the gates that are on by default. [Cases](cases.md) shows what they mean for definitions.\n")
	for _, area := range []struct {
		area  since.Area
		title string
	}{
		{since.Function, "Rules"}, {since.Field, "Fields of a definition"}, {since.Estimate, "Estimated costs"}, {since.Object, "Custom objects"},
		{since.Text, "Texts of errors"}, {since.Metadata, "Metadata"}, {since.Warning, "Warnings"},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| Since | What | |\n|---|---|---|\n", area.title)
		for m := since.Oldest; m <= since.Last; m++ {
			for _, f := range since.Of(area.area) {
				if f.Minor() != m {
					continue
				}
				until := ""
				if f.Until() != 0 {
					until = ", until " + f.Until().String()
				}
				fmt.Fprintf(&b, "| %s%s | %s | %s |\n", m, until, f.Name(), f.Text())
			}
		}
	}
	b.WriteString(missing)
	return b.String()
}

// missing is what the table does not have.
const missing = `
## What is not modelled

Patch releases that differ: 1.28.0 and 1.28.1 (estimates of functions that return strings, lists and maps are higher), 1.29.0 (new rules
pay for ` + "`has`" + `, and optionalOldSelf is kept), 1.34.0 (warnings about formats). Other gates, emulated versions and what managed clusters change.

Kubernetes' packages of each minor version checked 3,126 definitions, mostly real ones and probes of single features. The verdict differs, or
the type or field of an error, for

| Version | 1.25 | 1.26 | 1.27 | 1.28 | 1.29 | 1.30 | 1.31 | 1.32 | 1.33 to 1.37 |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| definitions | 70 | 10 | 9 | 4 | 1 | 1 | 2 | 2 | 0 |

Of 421 definitions that the packages of 1.38.0-beta.0 checked, 57 of which are not what 1.37 answered, the verdict is the same for all.
The release may answer otherwise. There, rules that are stored already may call ` + "`isMask`" + ` of CIDRs, which is unknown here; new ones may from
1.39 on. A cost that has no bound is not the same number, and no definition with it is accepted.

- 1.25: the results of ` + "`split`, `join`, `replace`, `substring`, `lowerAscii`, `findAll`" + ` and the like have other sizes: 58 definitions.
- 1.25 to 1.27: parentheses, lists and calls that are nested 124 deep or deeper are refused: 6 definitions in 1.25, 4 in the others.
- 1.25 to 1.28: a timestamp cannot be compared with null, and ` + "`string(null)`" + ` compiles: 2 definitions.
- 1.25 to 1.28: a value of a wrong type in a field that the version does not know is an unknown field there. Here the definition is not
  parsed, as by newer servers: 3 definitions in 1.25 and 1.26, 2 in 1.27, 1 in 1.28.
- 1.25 to 1.32: a loop over an int-or-string has an estimate beyond the limit of a definition, not only beyond that of a rule: 1 definition.
- 1.31 and 1.32: one rule, made at random, is estimated too high.

## Objects

Servers of 1.30, 1.33, 1.35, 1.36 and 1.37 answered 2,258 requests for objects of real definitions on which not all of them agree: verdicts,
objects, types, fields, texts and warnings are the same here. The facts of 1.31, 1.32 and 1.34 are from the sources of these versions,
those of 1.38 from a prerelease. Different are, or may be:

- Texts about rules that do not compile are those of the newest version, and so are most texts of evaluations that fail.
- Rules may call functions that the version does not have: a server that has such a definition reports that its rules do not compile.
- What evaluations cost is the same in all versions. It matters only for rules near a limit.
- A format of strings on a number, such as ` + "`type: integer, format: date`" + `, is ignored. Before 1.36 it counts for strings, which the type then accepts.
- An owner reference in a text of 1.33 or older has addresses of memory, which are random. Here they are always 0xc000000000.
`

func TestDocs(t *testing.T) {
	const path = "../docs/kubeversion.md"
	if given.Update() {
		require.NoError(t, os.WriteFile(path, []byte(page()), 0o644))
	}
	require.Equal(t, page(), string(given.File(t, path)), "write it with go test ./kubeversion -update")
}
