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

// quote returns a text as JavaScript has it.
func quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // no string is an error
	}
	return string(out)
}

// screenshots returns the folder of the screenshots.
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
	}
}
