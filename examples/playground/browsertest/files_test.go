package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// drop drops files, given as pairs of a name and a JavaScript expression of the text, on an element.
func (p *page) drop(selector string, files ...string) {
	p.t.Helper()
	var items strings.Builder
	for i := 0; i < len(files); i += 2 {
		fmt.Fprintf(&items, "data.items.add(new File([%s], %q));\n", files[i+1], files[i])
	}
	p.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		%s
		for (const name of ["dragover", "drop"]) {
			const event = new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true });
			if (document.querySelector(%q).dispatchEvent(event)) throw new Error("the browser handles " + name + " itself");
		}
	})()`, items.String(), selector), nil))
}

func TestFiles(t *testing.T) {
	p := open(t, "", look{})
	p.settled()
	crontab := p.textOf("definition")
	other := strings.ReplaceAll(crontab, "stable.example.com", "files.example.com")
	const object = "apiVersion: files.example.com/v1\nkind: CronTab\nmetadata: {name: dropped}\nspec: {cronSpec: 0 2 * * *, image: b}\n"

	// Several files find their editors by their kinds.
	p.drop("h1", "b.yaml", quote(object), "a.yaml", quote(other))
	p.waitText("#answer .done", "crontab.files.example.com/dropped created")
	require.Equal(t, other, p.textOf("definition"))
	require.True(t, value[bool](p, `document.getElementById("trouble").hidden`))
	p.run(chromedp.Evaluate(`document.querySelector("#definition textarea").focus(); document.execCommand("undo")`, nil))
	p.wait(fmt.Sprintf(`document.querySelector("#definition textarea").value === %s`, quote(crontab))) // it can be undone

	// A single file is for the editor on which it is dropped. JSON has kinds, too.
	p.drop("#object textarea", "a.yaml", quote(other))
	p.waitText("#object-badge", "refused")
	require.Equal(t, other, p.textOf("object"))
	p.drop("footer", "a.json", quote(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"}`))
	p.wait(`document.querySelector("#definition textarea").value.startsWith("{")`)

	// What cannot be opened is said.
	p.drop("h1", "first.yaml", quote(object), "second.yaml", quote(object))
	p.waitText("#trouble", "Not opened: second.yaml")
	p.drop("h1", "large.yaml", `"a".repeat((3 << 20) + 1)`)
	p.waitText("#trouble", "large.yaml has more than 3 MiB")
	require.Equal(t, object, p.textOf("object"))
	p.run(chromedp.Click("#dismiss"))
	p.wait(`document.getElementById("trouble").hidden`)

	// The button opens files, too.
	path := filepath.Join(t.TempDir(), "crd.yaml")
	require.NoError(t, os.WriteFile(path, []byte(other), 0o644))
	p.run(chromedp.SetUploadFiles("#files", []string{path}))
	p.waitText("#answer .done", "crontab.files.example.com/dropped created")
}

// Editors and answers have more room in a larger window.
func TestWindow(t *testing.T) {
	p := open(t, "", look{width: 1280, height: 800})
	p.settled()
	size := func() []float64 {
		return value[[]float64](p, `["definition", "object", "view-answer", "answer", "result"].flatMap((id) => {
			const { width, height } = document.getElementById(id).getBoundingClientRect();
			return [width, height];
		})`)
	}
	small := size()
	p.run(chromedp.EmulateViewport(1900, 1200))
	for i, large := range size() {
		require.Greater(t, large, 1.3*small[i], "%v", small)
	}
	p.run(chromedp.EmulateViewport(1000, 700)) // two columns
	require.Empty(t, value[[]string](p, tooWide))
	p.run(chromedp.EmulateViewport(320, 700)) // as with a zoom of 400 percent
	p.wait(`document.querySelector("#pane-object").hidden`)
	require.Empty(t, value[[]string](p, tooWide))
	p.run(chromedp.EmulateViewport(1280, 800))
	p.wait(`!document.querySelector("#pane-object").hidden`)
	require.Equal(t, small, size())
}
