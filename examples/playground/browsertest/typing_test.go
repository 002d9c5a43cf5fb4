package browsertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

func TestDefaultsAndPruning(t *testing.T) {
	p := open(t, "", look{})
	p.waitText("#result", "kind: CronTab")
	require.Equal(t, "accepted, 1 warning", p.text("#object-badge"))
	require.NotEqual(t, value[string](p, `getComputedStyle(document.getElementById("definition-badge")).color`),
		value[string](p, `getComputedStyle(document.getElementById("object-badge")).color`), "a warning has its own color")
	require.Equal(t, "crontabs.stable.example.com is accepted.", p.text("#view-answer"))
	require.Equal(t, "crontab.stable.example.com/nightly created", p.text("#answer .done"))
	require.Equal(t, 1, strings.Count(p.text("#answer"), "spec.replica\""), "each finding is shown once")
	p.run(chromedp.Click("#answer summary"))
	require.Equal(t, "Warning: unknown field \"spec.replica\"\ncrontab.stable.example.com/nightly created", p.text("#answer .status"))
	added := value[[]string](p, `[...document.querySelectorAll(".diff .added")].map((e) => e.innerText.trim())`)
	require.Equal(t, []string{"generation: 1", "namespace: default", "concurrency: Allow", "replicas: 1", "window:", "end: 24", "start: 0"}, added)
	removed := value[[]string](p, `[...document.querySelectorAll(".diff .removed")].map((e) => e.innerText.trim())`)
	require.Equal(t, []string{"replica: 2"}, removed)
	require.Contains(t, p.text("#answer .findings"), "did you mean replicas?")
}

// Keys are pressed one by one, as by a person.
func TestTyping(t *testing.T) {
	p := open(t, "", look{})
	p.waitText("#result", "kind: CronTab")
	p.run(chromedp.Evaluate(`document.querySelector("#object textarea").setSelectionRange(1e9, 1e9)`, nil), chromedp.Focus("#object textarea"))
	p.run(chromedp.SendKeys("#object textarea", "  replicas: 11"))
	p.waitText("#answer .findings", "spec.replicas in body should be less than or equal to 10")
	p.waitText("#object-badge", "refused")
	p.waitMarks("object", "!8", "✕9") // the lines of the warning and of the error
	require.Equal(t, "true", value[string](p, `document.querySelector("#object textarea").getAttribute("aria-invalid")`))
	require.Contains(t, value[string](p, `document.getElementById("announce").textContent`), "Object refused, 1 error.")

	p.run(chromedp.SendKeys("#object textarea", kb.Backspace))
	p.waitText("#object-badge", "accepted")
	p.run(chromedp.SendKeys("#object textarea", kb.Enter+"suspend: true"))
	// The editor indents the new line like the one before.
	p.waitText("#answer .findings", `unknown field "spec.suspend"`)
}

// waitMarks waits until the visible marked lines of an editor begin with the given signs and line numbers.
func (p *page) waitMarks(editor string, marks ...string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`[...document.querySelectorAll("#%s .gutter div")].filter((e) => e.className !== "").map((e) =>
		getComputedStyle(e, "::before").content.replaceAll('"', "") + e.innerText).join(" ").startsWith(%q)`, editor, strings.Join(marks, " ")))
}

func TestErrorsAtLines(t *testing.T) {
	p := open(t, "", look{})
	p.waitText("#result", "kind: CronTab")
	p.fill("definition", strings.Replace(p.textOf("definition"), "type: integer", "type: intger", 1))
	p.waitText("#view-answer", `Unsupported value: "intger"`)
	require.Contains(t, p.text("#view-answer"), `did you mean "integer"?`)
	line := strings.Count(strings.Split(p.textOf("definition"), "intger")[0], "\n") + 1
	p.run(chromedp.Click("#view-answer .place"))
	require.Equal(t, line, value[int](p, `(() => {
		const area = document.querySelector("#definition textarea");
		return area.value.slice(0, area.selectionStart).split("\n").length;
	})()`), "the button goes to the line of the error")
	p.waitMarks("definition", fmt.Sprintf("✕%d", line))

	p.fill("definition", "a: [\n")
	p.waitText("#definition-badge", "unreadable")
	p.fill("definition", "")
	p.waitText("#view-answer", "Put a CustomResourceDefinition here")
}

// textOf returns the text of an editor.
func (p *page) textOf(editor string) string {
	return value[string](p, fmt.Sprintf(`document.querySelector("#%s textarea").value`, editor))
}

func TestRatcheting(t *testing.T) {
	p := open(t, "", look{})
	p.example("update")
	p.waitText("#answer .done", "database.example.com/orders configured")
	require.Contains(t, p.text("#answer .forgiven"), `spec.size: Invalid value: "large"`)
	p.fill("object", strings.Replace(p.textOf("object"), "postgres", "mysql", 1))
	p.waitText("#answer .findings", "the engine stays")
	p.run(chromedp.Click("#update")) // a create forgives nothing
	p.waitText("#answer .findings", "should match")
	require.NotContains(t, p.text("#answer"), "the engine stays")
}

func TestCostFix(t *testing.T) {
	p := open(t, "", look{})
	p.example("costs")
	p.waitText("#view-rules", "Apply all")
	p.waitText("#definition-badge", "refused") // the view and the badge are answered by two workers
	before := p.textOf("definition")
	require.Equal(t, "100%", value[string](p, `document.querySelector(".bar.over span").style.width`))
	p.run(chromedp.Click("#view-rules .fix button"))
	p.waitText("#definition-badge", "accepted")
	after := p.textOf("definition")
	require.Contains(t, after, "maxItems: 64\n")
	require.Contains(t, after, "# Neither the list nor its names have a bound", "comments stay")
	require.Greater(t, strings.Count(after, "\n"), strings.Count(before, "\n"))
	p.wait(`document.querySelector(".bar.over") === null && document.querySelector(".bar") !== null`)
	p.waitText("#answer .done", "firewall.example.com/edge created")
	p.run(chromedp.Evaluate(`document.querySelector("#definition textarea").focus(); document.execCommand("undo")`, nil))
	p.waitText("#definition-badge", "refused") // it can be undone
}

func TestVersions(t *testing.T) {
	p := open(t, "", look{})
	p.example("versions")
	p.waitText("#view-versions", "format int32 is enforced since 1.36")
	cells := value[[]string](p, `[...document.querySelectorAll(".matrix li")].map((e) => e.className + " " + e.innerText)`)
	require.Len(t, cells, 10)
	require.Equal(t, "no ✕ 1.28", cells[0])
	require.Equal(t, "yes ✓ 1.35", cells[7])
	require.Equal(t, "but ! 1.36", cells[8])
	require.Contains(t, p.text("#view-versions"), "isIP came with 1.31")
}

func TestSamples(t *testing.T) {
	p := open(t, "", look{})
	p.run(chromedp.Click("#tab-samples"))
	p.waitText("#view-samples", "spec.replicas: maximum 10")
	p.run(chromedp.Evaluate(`[...document.querySelectorAll("#view-samples details")].find((e) => e.innerText.includes("spec.replicas: maximum 10"))
		.querySelector("button").click()`, nil))
	p.waitText("#answer .findings", "less than or equal to 10")
}

func TestExplain(t *testing.T) {
	p := open(t, "", look{})
	p.run(chromedp.Click("#tab-explain"))
	p.cursor("definition", "type: integer")
	p.waitText("#view-explain", "CronTab.spec.replicas")
	require.Contains(t, p.text("#view-explain"), "minimum: 1, maximum: 10")
	p.cursor("object", "image:")
	p.waitText("#view-explain", "The image that runs.")
	p.cursor("object", "nightly")
	p.waitText("#view-explain", "metadata is a field of every object")
}

// cursor moves the cursor to a text in an editor.
func (p *page) cursor(editor, text string) {
	p.t.Helper()
	p.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const area = document.querySelector("#%s textarea");
		const at = area.value.indexOf(%s);
		area.focus();
		area.setSelectionRange(at, at);
		area.dispatchEvent(new Event("click"));
	})()`, editor, quote(text)), nil))
}

func TestCompare(t *testing.T) {
	p := open(t, "", look{})
	p.example("compare")
	p.waitText("#compare-answer", "Breaks")
	p.waitText("#result", "kind: CronTab")
	p.run(chromedp.Evaluate(`[...document.querySelectorAll("#compare-answer details")].find((e) => e.innerText.includes("maximum"))
		.querySelector("button").click()`, nil))
	p.waitText("#answer .findings", "spec.replicas in body should be less than or equal to 5") // the witness
	p.run(chromedp.Click("#keep"))
	p.waitText("#compare-answer", "Nothing changes for objects")
}

func TestSharing(t *testing.T) {
	p := open(t, "", look{})
	p.example("update")
	p.waitText("#answer .done", "configured")
	p.fill("object", strings.Replace(p.textOf("object"), "backups: 14", "backups: 21 # ü 日本", 1))
	p.run(chromedp.Click("#share"))
	p.wait(`location.hash.length > 10`)
	fragment := value[string](p, `location.hash`)
	require.Less(t, len(fragment), 1500)

	q := open(t, fragment, look{})
	q.waitText("#answer .done", "configured")
	for _, editor := range []string{"definition", "object", "stored", "old"} {
		require.Equal(t, p.textOf(editor), q.textOf(editor), editor)
	}
	require.Contains(t, q.textOf("object"), "ü 日本")

	// An invalid address is an error, and the page continues to work.
	q.run(chromedp.Evaluate(`location.hash = "#1,AAAA"`, nil))
	q.waitText("#trouble", "cannot be read")
	q.waitText("#answer .done", "nightly created")
}

// All functions work without a mouse, and the focus is visible.
func TestKeyboard(t *testing.T) {
	p := open(t, "", look{})
	p.waitText("#result", "kind: CronTab")
	var way []string
	for range 16 {
		p.run(chromedp.KeyEvent(kb.Tab))
		way = append(way, value[string](p, `(() => { const e = document.activeElement; return e.id || e.getAttribute("aria-label") || e.className || e.innerText; })()`))
	}
	require.Equal(t, []string{"example", "open", "share", "theme", "Docs", "Repository", "Definition, in YAML or JSON", "tab-answer", "view-answer", "update",
		"Object, in YAML or JSON", "answer", "Go to 8:3", "Output of kubectl", "result"}, way[:15], "one stop for all tabs, and none that keeps the focus")

	p.run(chromedp.Focus("#tab-answer"), chromedp.KeyEvent(kb.ArrowRight))
	require.Equal(t, "tab-rules", value[string](p, `document.activeElement.id`))
	require.Equal(t, "true", value[string](p, `document.activeElement.getAttribute("aria-selected")`))
	p.waitText("#view-rules", "All rules of the schema")
	p.run(chromedp.KeyEvent(kb.End))
	require.Equal(t, "tab-compare", value[string](p, `document.activeElement.id`))
	p.run(chromedp.KeyEvent(kb.ArrowRight))
	require.Equal(t, "tab-answer", value[string](p, `document.activeElement.id`))
	require.Equal(t, []int{0, -1, -1, -1, -1, -1}, value[[]int](p, `[...document.querySelectorAll("#tabs [role=tab]")].map((e) => e.tabIndex)`))
	require.NotEqual(t, "none", value[string](p, `getComputedStyle(document.activeElement).outlineStyle`), "the focus is seen")

	p.run(chromedp.Focus("#theme"), chromedp.KeyEvent(kb.Enter))
	require.Equal(t, "dark", value[string](p, `document.documentElement.dataset.theme`))
}

// Untrusted text is never shown as HTML.
func TestNothingIsHTML(t *testing.T) {
	p := open(t, "", look{})
	const attack = `<img src=x onerror="window.attacked = true"><script>window.attacked = true</script>`
	definition := strings.Replace(p.textOf("definition"), "The image that runs.", attack, 1)
	definition = strings.Replace(definition, "a window begins before it ends", attack, 1)
	p.fill("definition", definition)
	p.fill("object", "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec:\n  cronSpec: "+quote(attack)+"\n  "+quote(attack)+": "+quote(attack)+
		"\n  window: {start: 3, end: 2}\n")
	p.waitText("#answer .findings", "<img src=x")
	for _, tab := range []string{"rules", "versions", "samples", "explain"} {
		p.run(chromedp.Click("#tab-" + tab))
		p.wait(fmt.Sprintf(`document.getElementById("view-%s").childElementCount > 0`, tab))
	}
	p.cursor("object", "cronSpec")
	p.cursor("definition", "<img")
	p.waitText("#view-explain", "<img src=x")
	require.Zero(t, value[int](p, `document.querySelectorAll("main img, main script").length`))
	require.False(t, value[bool](p, `Boolean(window.attacked)`))
}

// If a definition takes too long, its worker is terminated. The page stays responsive, and the next definition is
// answered.
func TestHostileDefinition(t *testing.T) {
	p := open(t, "", look{})
	p.waitText("#result", "kind: CronTab")
	crontab := p.textOf("definition")
	var rules strings.Builder
	for i := range 12000 {
		fmt.Fprintf(&rules, "        - rule: \"self.all(a, self.all(b, self.all(c, a + b + c + '%d' != ''))) || self.size() > %d\"\n", i, i)
	}
	hostile := strings.Split(crontab, "      openAPIV3Schema:")[0] + "      openAPIV3Schema:\n        type: object\n        properties: {spec: {type: object, properties: {a: {type: array, items: {type: string}}}}}\n"
	hostile = strings.Replace(hostile, "properties: {spec: {type: object, properties: {a: {type: array, items: {type: string}}}}}",
		"properties:\n          spec:\n            type: array\n            items: {type: string}\n            x-kubernetes-validations:\n"+strings.ReplaceAll(rules.String(), "        - rule", "            - rule"), 1)
	p.fill("definition", hostile)
	p.waitText("#definition-badge", "working")
	began := time.Now()
	require.Equal(t, 2, value[int](p, `1 + 1`), "the page answers")
	require.Less(t, time.Since(began), 2*time.Second)
	p.waitText("#definition-badge", "takes too long")
	require.Contains(t, p.text("#view-answer"), "longer than 5 seconds")
	p.fill("definition", crontab)
	p.waitText("#answer .done", "nightly created")
}

// The content security policy of the page allows no resources of other hosts, and no eval.
func TestPolicy(t *testing.T) {
	p := open(t, "", look{})
	response, err := http.Get(base)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Contains(t, response.Header.Get("Content-Security-Policy"), "default-src 'self'")
	require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
	p.run(chromedp.Evaluate(`(() => {
		window.violations = [];
		document.addEventListener("securitypolicyviolation", (e) => window.violations.push(e.effectiveDirective));
		setTimeout("window.evaluated = true");
		document.body.append(Object.assign(new Image(), { src: "http://127.0.0.2:1/x.png" }));
		document.body.append(Object.assign(document.createElement("script"), { textContent: "window.evaluated = true" }));
		fetch("http://127.0.0.2:1/").catch(() => {});
	})()`, nil))
	p.wait(`new Set(window.violations).size === 4`)
	require.ElementsMatch(t, []string{"script-src", "script-src-elem", "img-src", "connect-src"}, value[[]string](p, `[...new Set(window.violations)]`))
	require.False(t, value[bool](p, `Boolean(window.evaluated)`))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.troubles, p.requests = nil, []string{base} // the browser also reports what it has refused
}
