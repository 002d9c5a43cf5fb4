package browsertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// shown is a description of what the page shows: the open view, the answers and the badges.
const shown = `(() => {
	const text = (id) => document.getElementById(id).innerText;
	const tab = document.querySelector("#tabs [aria-selected=true]");
	return [tab.id, text(tab.getAttribute("aria-controls")), text("answer"), text("result"), text("definition-badge"), text("object-badge")].join("\n---\n");
})()`

// Each pair of an example and a tab, and each pair of examples: as fast as a page can be clicked, and in the end the
// page shows what it shows to a patient user.
func TestPairs(t *testing.T) {
	p := open(t, "", look{})
	p.settled()
	examples := value[[]string](p, `[...document.getElementById("example").options].map((e) => e.value)`)
	tabs := value[[]string](p, `[...document.getElementById("tabs").children].map((e) => e.id)`)
	require.Greater(t, len(examples), 4)
	require.Len(t, tabs, 6)
	click := func(tab string) {
		t.Helper()
		p.run(chromedp.Evaluate(fmt.Sprintf(`document.getElementById(%q).click()`, tab), nil))
	}
	check := func(want, what string, arguments ...any) {
		t.Helper()
		p.settled()
		got := value[string](p, shown)
		require.NotContains(t, got, "there is no view")
		require.Equal(t, want, got, fmt.Sprintf(what, arguments...))
	}

	first := map[string]string{}       // what the page shows after an example was chosen
	want := map[[2]string]string{}     // and then a tab
	different := map[string][]string{} // by what is shown
	for _, example := range examples {
		p.example(example)
		p.settled()
		first[example] = value[string](p, shown)
		for _, tab := range tabs {
			click(tab)
			p.settled()
			now := value[string](p, shown)
			want[[2]string{example, tab}] = now
			different[now] = append(different[now], example+" "+tab)
		}
	}
	require.Len(t, different, len(examples)*len(tabs), "each example and each tab shows something else")

	for _, example := range examples {
		for _, tab := range tabs {
			p.example(example)
			click(tab)
			check(want[[2]string{example, tab}], "%s, then %s", example, tab)
		}
		for _, other := range examples {
			p.example(example)
			p.settled()
			p.example(other)
			check(first[other], "%s, then %s", example, other)
			p.example(example)
			p.example(other)
			check(first[other], "%s, and at once %s", example, other)
		}
	}
	for _, tab := range tabs { // a tab is open when an example is chosen
		for _, example := range examples {
			click(tab)
			p.example(example)
			check(first[example], "%s, then %s", tab, example)
		}
	}
}

// slowly delays the answers of the workers, so that each is late for something.
const slowly = `{
	const Fast = Worker;
	window.Worker = class extends Fast {
		set onmessage(f) { super.onmessage = (e) => setTimeout(() => f.call(this, e), e.data.ready ? 0 : 400); }
	};
}`

// Answers that come too late are not shown: neither for a text nor for an example that is no longer there.
func TestLateAnswers(t *testing.T) {
	p := open(t, "", look{before: chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := cdp.AddScriptToEvaluateOnNewDocument(slowly).Do(ctx)
		return err
	})})
	p.settled()
	// Record what the page shows beside which text.
	p.run(chromedp.Evaluate(`
		window.seen = [];
		new MutationObserver(() => seen.push({
			definition: /name: (\S+)/.exec(document.querySelector("#definition textarea").value)?.[1] ?? "",
			object: document.querySelector("#object textarea").value,
			rules: document.getElementById("view-rules").innerText, versions: document.getElementById("view-versions").innerText,
			answer: document.getElementById("view-answer").innerText, result: document.getElementById("result").innerText,
		})).observe(document.body, { subtree: true, childList: true });`, nil))
	pause := func(d time.Duration) { p.run(chromedp.Sleep(d)) }
	p.example("costs")
	pause(300 * time.Millisecond) // now its rules are computed
	p.example("compare")
	pause(100 * time.Millisecond)
	p.run(chromedp.Click("#tab-rules"))
	pause(300 * time.Millisecond)
	p.example("update")
	pause(100 * time.Millisecond)
	p.run(chromedp.Click("#tab-versions"))
	pause(300 * time.Millisecond)
	p.run(chromedp.Click("#tab-rules"))
	p.settled()
	p.waitText("#view-rules", "oldSelf")
	for i := range 3 {
		p.fill("object", fmt.Sprintf("%s# %d\n", strings.Replace(p.textOf("object"), "name: orders", fmt.Sprintf("name: orders-%d", i), 1), i))
		pause(150 * time.Millisecond)
	}
	p.settled()

	type moment struct{ Definition, Object, Rules, Versions, Answer, Result string }
	moments := value[[]moment](p, `seen.map(({ definition, object, rules, versions, answer, result }) =>
		({ Definition: definition, Object: object, Rules: rules, Versions: versions, Answer: answer, Result: result }))`)
	require.Greater(t, len(moments), 8)
	answered := 0
	for _, m := range moments {
		if strings.HasSuffix(m.Answer, "is accepted.") {
			answered++
			require.Contains(t, m.Answer, m.Definition)
		}
		if strings.Contains(m.Result, "kind: Database") {
			require.Equal(t, "databases.example.com", m.Definition)
		}
		for rule, of := range map[string]string{"oldSelf": "databases.example.com", "exists_one": "firewalls.example.com", "self.start < self.end": "crontabs.stable.example.com"} {
			if strings.Contains(m.Rules, rule) {
				require.Equal(t, of, m.Definition, rule)
			}
		}
		require.NotContains(t, m.Versions+m.Rules, "there is no view")
	}
	require.Positive(t, answered)
}
