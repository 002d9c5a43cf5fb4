package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// objectsText returns a number of objects with its noun.
func objectsText(n int64) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}

// shorten truncates a text that is longer than 1000 bytes.
func shorten(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// percent returns a share of a limit as a percentage. It rounds up above 100%, so that no share over the limit prints
// as 100%.
func percent(share float64) string {
	switch {
	case share >= 1000:
		return "more than 1000x"
	case share >= 10:
		return strconv.FormatFloat(share*100, 'f', 0, 64) + "%"
	case share > 1:
		return strconv.FormatFloat(math.Ceil(share*1000)/10, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(share*100, 'f', 1, 64) + "%"
}

// writeTable prints rows in aligned columns.
func writeTable(w *output.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell)+2)
		}
	}
	for _, row := range rows {
		w.Printf("  ")
		last := len(row) - 1
		for i, cell := range row[:last] {
			w.Printf("%-*s", widths[i], cell)
		}
		w.Printf("%s\n", row[last])
	}
}

// writeIndented prints the lines of a text, each after two spaces.
func writeIndented(w *output.Writer, text string) {
	if text != "" {
		w.Printf("  %s\n", output.Block{Indent: "  ", Text: strings.TrimSuffix(text, "\n")})
	}
}

// yamlText returns an object as YAML.
func yamlText(obj map[string]any) string {
	if text := yamltext.Encode(obj); text != "" {
		return text
	}
	return "# the object is too deep or too large to be printed\n"
}
