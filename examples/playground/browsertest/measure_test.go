package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// large returns a definition about as large as Gateway API's HTTPRoute with its two versions: 340 kB, and 150 rules.
func large() string {
	var b strings.Builder
	b.WriteString(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: routes.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Route, plural: routes}
  versions:
`)
	for _, version := range []string{"v1", "v1beta1"} {
		fmt.Fprintf(&b, `  - name: %s
    served: true
    storage: %t
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
`, version, version == "v1")
		for i := range 75 {
			fmt.Fprintf(&b, "              field%d:\n                description: |-\n", i)
			for k := range 20 {
				fmt.Fprintf(&b, "                  Line %d of what the field number %d is about, in words.\n", k, i)
			}
			fmt.Fprintf(&b, `                type: array
                maxItems: 16
                items:
                  type: object
                  required: [name]
                  properties:
                    name:
                      type: string
                      minLength: 1
                      maxLength: 253
                      pattern: ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$
                    port:
                      type: integer
                      format: int32
                      minimum: 1
                      maximum: 65535
                    kind:
                      type: string
                      default: Service
                      enum: [Service, Other%d]
                x-kubernetes-validations:
                - rule: self.all(a, a.kind != "Service" || has(a.port))
                  message: a Service needs a port
`, i)
		}
	}
	return b.String()
}

const route = `apiVersion: example.com/v1
kind: Route
metadata:
  name: a
spec:
  field0:
  - name: b
    port: 80
  field74:
  - name: c
    port: 443
`

// Times are printed but not checked, since machines differ.
func TestMeasure(t *testing.T) {
	p := open(t, "", look{})
	p.settled()
	p.wait(`performance.getEntriesByName("answer").length > 0`)
	t.Log(strings.TrimSpace(built))
	t.Logf("first answer: %.0f ms after the page began to load", value[float64](p, `performance.getEntriesByName("answer")[0].startTime + performance.getEntriesByName("answer")[0].duration`))

	definition := large()
	p.answered(func() { p.fill("object", route) })
	p.answered(func() { p.fill("definition", definition) })
	p.waitText("#answer .done", "route.example.com/a created")
	t.Logf("a definition of %d kB and %d lines", len(definition)/1000, strings.Count(definition, "\n"))
	many := strings.Repeat("x", 12)
	p.typed("an object", "object", "- name: b", `name: b`+many)
	p.typed("a description", "definition", "number 3 is", "routes.example.com")
	p.waitText("#definition-badge", "accepted")
	p.typed("an unknown field", "definition", "x-kubernetes-validation", "x-kubernetes-validation"+many+"s")
	p.answered(func() { p.fill("definition", definition) })
	p.typed("a wrong type", "definition", "type: strin", `"strin`+many+`g"`)
	p.answered(func() { p.fill("definition", definition) })
	p.waitText("#object-badge", "accepted")
}

// typed types into an editor, after a given text, and prints the time from pressing a key until the answer is on the
// screen. Each key is pressed when the previous one is answered. The last answer must have the text shown.
func (p *page) typed(what, editor, behind, shown string) {
	p.t.Helper()
	p.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const area = document.querySelector("#%s textarea");
		area.focus();
		const at = area.value.indexOf(%s) + %d;
		area.setSelectionRange(at, at);
		window.pressed = 0;
		area.onkeydown = (e) => { window.pressed = e.timeStamp; };
	})()`, editor, quote(behind), len(behind)), nil))
	var took []float64
	for range 12 {
		p.answered(func() { p.run(chromedp.KeyEvent("x")) })
		took = append(took, value[float64](p, `(({ startTime, duration }) => startTime + duration - window.pressed)(performance.getEntriesByName("answer").at(-1))`))
	}
	p.waitText("main", shown)
	took = took[2:] // the first ones come before the code is optimized
	slices.Sort(took)
	p.t.Logf("an answer while one types %s: %.0f ms (median of %d), from %.0f to %.0f ms", what, took[len(took)/2], len(took), took[0], took[len(took)-1])
}

// The download may have 4 MB, compressed.
func TestDownload(t *testing.T) {
	p := open(t, "", look{})
	p.settled()
	p.mu.Lock()
	urls := append(slices.Clone(p.requests), base+"wasm_exec.js", base+"crdkit.wasm.gz") // which the worker loads
	p.mu.Unlock()
	slices.Sort(urls)
	total := 0
	for _, url := range slices.Compact(urls) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		request.Header.Set("Accept-Encoding", "gzip") // without it, the client would decompress
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		data, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode, url)
		t.Logf("%8d %s", len(data), url)
		total += len(data)
	}
	t.Logf("%8d bytes in all", total)
	require.Less(t, total, 4_000_000)
}
