package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// screenshots returns the directory for screenshots.
func screenshots(t *testing.T) string {
	dir := os.Getenv("PLAYGROUND_SCREENSHOTS")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "playground-screenshots")
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	t.Logf("screenshots are in %s", dir)
	return dir
}

// looks are wide windows and phones, in both color schemes.
var looks = map[string]look{
	"wide-light":  {width: 1280, height: 900},
	"wide-dark":   {width: 1280, height: 900, dark: true},
	"phone-light": {width: 390, height: 844, phone: true},
	"phone-dark":  {width: 390, height: 844, phone: true, dark: true},
}

// states bring the page into states that together show all of its views.
var states = []struct {
	name, example, tab string
	pane               string // of a narrow window
	f                  func(p *page)
}{
	{name: "answer", example: "crontab", tab: "answer", pane: "definition"},
	{name: "object", example: "crontab", tab: "answer", pane: "object"},
	{name: "result", example: "crontab", tab: "answer", pane: "result"},
	{name: "rules", example: "costs", tab: "rules", pane: "definition"},
	{name: "waiting", example: "costs", tab: "answer", pane: "object"},
	{name: "versions", example: "versions", tab: "versions", pane: "definition"},
	{name: "update", example: "update", tab: "answer", pane: "object"},
	{name: "explain", example: "update", tab: "explain", pane: "definition"},
	{name: "samples", example: "crontab", tab: "samples", pane: "definition", f: func(p *page) {
		p.run(chromedp.Evaluate(`for (const e of document.querySelectorAll("#view-samples details")) e.open = true`, nil))
	}},
	{name: "compare", example: "compare", tab: "compare", pane: "definition"},
	{name: "refused", example: "crontab", tab: "answer", pane: "object", f: func(p *page) {
		p.fill("object", strings.Replace(p.textOf("object"), "replica:", "replicas: 12\n  window: {start: 5, end: 3}\n  x:", 1))
		p.settled()
		p.run(chromedp.Evaluate(`document.querySelector("#answer details").open = true`, nil))
	}},
	{name: "unreadable", example: "crontab", tab: "rules", pane: "definition", f: func(p *page) {
		p.fill("definition", "a: [\n")
		p.fill("object", "")
		p.settled()
		p.run(chromedp.Evaluate(`location.hash = "#1,AAAA"`, nil)) // an error of the page itself
		p.waitText("#trouble", "cannot be read")
		p.settled()
	}},
}

// All views, in both color schemes, in a wide window and on a phone: texts have enough contrast, axe-core finds nothing
// serious, nothing is wider than the window, and fingers find their targets. Each view is a screenshot.
func TestViews(t *testing.T) {
	dir := screenshots(t)
	axe := axeCore(t)
	for name, as := range looks {
		t.Run(name, func(t *testing.T) {
			p := open(t, "", as)
			var poor []string
			for _, s := range states {
				p.example(s.example)
				p.settled()
				p.run(chromedp.Evaluate(fmt.Sprintf(`document.getElementById("tab-%s").click(); document.getElementById("tab-pane-%s").click()`, s.tab, s.pane), nil))
				p.settled()
				if s.f != nil {
					s.f(p)
				}
				p.settled()
				p.screenshot(dir, name+"-"+s.name)
				checks := []string{contrast, tooWide, apart}
				if as.phone {
					checks = append(checks, smallTargets)
				}
				found := []string{}
				for _, check := range checks {
					found = append(found, value[[]string](p, check)...)
				}
				if axe != "" {
					found = append(found, p.axe(axe)...)
				}
				for _, f := range found {
					poor = append(poor, s.name+": "+f)
				}
			}
			require.Empty(t, poor)
		})
	}
}

func (p *page) screenshot(dir, name string) {
	p.t.Helper()
	var picture []byte
	p.run(chromedp.FullScreenshot(&picture, 100))
	require.NoError(p.t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
}

// axeCore returns the source of axe-core, or "" without npm.
func axeCore(t *testing.T) string {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Log("no npm: axe-core is skipped")
		return ""
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NotContains(t, string(data), "://", "the lock file names no registry")
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	install := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	out, err := install.CombinedOutput()
	require.NoError(t, err, string(out))
	source, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	require.NoError(t, err)
	return string(source)
}

// axe returns the serious and critical findings of axe-core.
func (p *page) axe(source string) (serious []string) {
	p.t.Helper()
	var found []string
	p.run(chromedp.Evaluate(`window.axe !== undefined || (() => {`+source+`})() || true`, nil),
		chromedp.Evaluate(`axe.run().then(({ passes, violations }) => [passes.length > 10 ? "" : "critical: axe-core did not run"].concat(
			violations.flatMap((v) => v.nodes.map((n) => v.impact + ": " + v.id + ": " + n.target.join(" ") + ": " + n.failureSummary))))`,
			&found, func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
	for _, f := range found {
		switch {
		case strings.HasPrefix(f, "serious") || strings.HasPrefix(f, "critical"):
			serious = append(serious, f)
		case f != "":
			p.t.Log(f)
		}
	}
	return serious
}

// smallTargets lists the controls that are smaller than 44 by 44 pixels, and the inputs with a text below 16 pixels.
const smallTargets = `[...document.querySelectorAll("button, select, a, summary, textarea, label.check")].filter((e) => e.checkVisibility()).flatMap((e) => {
	const { width, height } = e.getBoundingClientRect(), name = e.tagName + " " + (e.id || e.innerText), out = [];
	if (width < 44 || height < 44) out.push(name + ": " + width + " x " + height);
	if (["SELECT", "TEXTAREA"].includes(e.tagName) && parseFloat(getComputedStyle(e).fontSize) < 16) out.push(name + ": " + getComputedStyle(e).fontSize);
	return out;
})`

// apart lists the parts of the page that do not have their place: in a wide window all are beside each other and nothing
// is below the fold; in a narrow one there is one at a time. Nothing in them may overlap.
const apart = `(() => {
	const wide = innerWidth > 1100, sections = [...document.querySelectorAll("section")].filter((e) => e.checkVisibility()), out = [];
	const box = (e) => e.getBoundingClientRect();
	if (sections.length !== (wide ? 3 : 1)) out.push(sections.length + " parts are visible");
	if (wide && new Set(sections.map((e) => box(e).top)).size !== 1) out.push("the parts are not beside each other");
	if (wide && document.documentElement.scrollHeight > innerHeight) out.push("the page is higher than the window");
	for (const s of sections) {
		const children = [...s.children].filter((e) => e.checkVisibility());
		for (let i = 1; i < children.length; i++) {
			if (box(children[i]).top < box(children[i - 1]).bottom - 1) out.push(s.id + ": " + children[i].className + " overlaps " + children[i - 1].className);
		}
	}
	if (wide && new Set([...document.querySelectorAll("#tabs button")].map((e) => box(e).top)).size !== 1) out.push("the tabs are in two rows");
	return out;
})()`

// tooWide lists the elements that reach beyond the right side of the window, outside of areas that scroll.
const tooWide = `[...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1 &&
	!e.closest(".editor, .diff, .hidden")).map((e) => e.tagName + " " + (e.id || e.className))`

// contrast lists the elements with text whose contrast is below 4.5.
const contrast = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
	const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255, 255]; };
	const poor = [];
	for (const e of document.querySelectorAll("body *")) {
		const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim() !== "");
		if (!own || !e.checkVisibility() || e.tagName === "TEXTAREA" || e.tagName === "OPTION") continue;
		const a = light(rgb(getComputedStyle(e).color).slice(0, 3)), b = light(behind(e).slice(0, 3));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5) poor.push(ratio.toFixed(2) + " " + e.className + " " + e.textContent.slice(0, 40));
	}
	return poor;
})()`
