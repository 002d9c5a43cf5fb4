package browsertest

import (
	"encoding/json"
	"os"
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

// picture is the one in the README.
const picture = "../picture.png"

func TestPicture(t *testing.T) {
	info, err := os.Stat(picture)
	if !*update {
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(200_000))
		return
	}
	p := open(t, "", look{width: 1280, height: 760})
	p.settled()
	p.run(chromedp.Click("#tab-versions"))
	p.settled()
	var data []byte
	// The footer shows a time, which differs in each picture.
	p.run(chromedp.Evaluate(`document.activeElement.blur(); document.getElementById("timing").textContent = ""`, nil),
		chromedp.CaptureScreenshot(&data))
	require.Less(t, len(data), 200_000)
	require.NoError(t, os.WriteFile(picture, data, 0o644))
}
