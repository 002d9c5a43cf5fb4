package browsertest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// quote returns a text as a JavaScript literal.
func quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // no string is an error
	}
	return string(out)
}

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

func (p *page) screenshot(dir, name string, whole bool) []byte {
	p.t.Helper()
	var picture []byte
	action := chromedp.CaptureScreenshot(&picture)
	if whole {
		action = chromedp.FullScreenshot(&picture, 100)
	}
	p.run(action)
	require.NoError(p.t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
	return picture
}

func TestScreenshots(t *testing.T) {
	dir := screenshots(t)
	for _, as := range []look{{width: 1280, height: 900}, {width: 1280, height: 900, dark: true}, {width: 420, height: 900}, {width: 420, height: 900, dark: true}} {
		p := open(t, "", as)
		name := fmt.Sprintf("%d-light", as.width)
		if as.dark {
			name = fmt.Sprintf("%d-dark", as.width)
		}
		p.waitText("#answer", "What is stored")
		p.screenshot(dir, name+"-crontab", true)
		for _, example := range []struct{ name, selector, text string }{
			{"costs", "#view-rules", "Apply"}, {"versions", "#view-versions", "1.37"}, {"compare", "#view-compare", "Try this object"}, {"update", "#answer", "configured"},
		} {
			p.example(example.name)
			p.waitText(example.selector, example.text)
			p.screenshot(dir, name+"-"+example.name, true)
		}
		p.run(chromedp.Click("#tab-samples"))
		p.waitText("#view-samples", "Minimal")
		p.screenshot(dir, name+"-samples", true)
		p.run(chromedp.Click("#tab-explain"))
		p.cursor("definition", "enum:")
		p.waitText("#view-explain", "Database.spec.engine")
		p.screenshot(dir, name+"-explain", true)
	}
}

// picture is the one in the README.
const picture = "../picture.png"

func TestPicture(t *testing.T) {
	info, err := os.Stat(picture)
	if !*update {
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(200_000))
		return
	}
	p := open(t, "", look{width: 1180, height: 640})
	p.waitText("#answer", "What is stored")
	p.run(chromedp.Click("#tab-versions"))
	p.waitText("#view-versions", "1.37")
	var data []byte
	// The footer shows a time, which differs in each picture.
	p.run(chromedp.Evaluate(`document.activeElement.blur(); document.querySelector("footer").hidden = true`, nil),
		chromedp.FullScreenshot(&data, 100))
	require.Less(t, len(data), 200_000)
	require.NoError(t, os.WriteFile(picture, data, 0o644))
}

// Texts have a contrast of at least 4.5 to 1 (WCAG AA), in both themes and in all views.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		p := open(t, "", look{dark: dark})
		for _, example := range []struct{ name, selector, text string }{
			{"crontab", "#answer", "What is stored"}, {"costs", "#view-rules", "Apply"}, {"versions", "#view-versions", "1.37"},
			{"compare", "#view-compare", "Try this object"}, {"update", "#answer", "configured"},
		} {
			p.example(example.name)
			p.waitText(example.selector, example.text)
			poor := value[[]string](p, contrast)
			require.Empty(t, poor, "dark: %t, %s", dark, example.name)
		}
	}
}

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
