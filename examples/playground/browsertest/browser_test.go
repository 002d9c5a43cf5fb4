package browsertest

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

var (
	browser context.Context // nil if there is none
	base    string          // the address of the page: http://127.0.0.1:1234/
	built   string          // the output of the build

	elsewhere sync.Map // the hosts, other than this machine, to which the browser has sent requests

	update = flag.Bool("update", false, "renew the picture of the README")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	name := find()
	if name == "" {
		fmt.Println("no browser: install Chromium (apt-get install chromium), or name one in the variable CHROME; all tests are skipped")
		return m.Run()
	}
	stop, err := serve()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer stop()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere.Store(r.Host, r.Method)
		http.Error(w, "nothing is there", http.StatusBadGateway)
	}))
	defer proxy.Close()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ProxyServer(proxy.URL), // for all requests except those to this machine, including those of workers
		chromedp.ExecPath(name),
		chromedp.NoSandbox, // tests may run as root
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("force-color-profile", "srgb"),
	)
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	var end context.CancelFunc
	browser, end = chromedp.NewContext(allocator)
	defer end()
	if err := chromedp.Run(browser); err != nil {
		fmt.Fprintln(os.Stderr, "the browser does not start:", err)
		return 1
	}
	code := m.Run()
	elsewhere.Range(func(host, method any) bool {
		if ownHost.MatchString(host.(string)) {
			return true
		}
		fmt.Printf("FAIL: a request to another host: %v %v\n", method, host)
		code = 1
		return true
	})
	return code
}

// ownHost matches the hosts to which the browser itself sends requests, for any page.
var ownHost = regexp.MustCompile(`\.(google|googleapis|gstatic|gvt1)\.com(:\d+)?$`)

// find returns the path of the browser, or "" if there is none.
func find() string {
	if name := os.Getenv("CHROME"); name != "" {
		return name
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// serve builds the program that serves the page, and starts it.
func serve() (stop func(), err error) {
	dir, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "playground")
	build := exec.Command("go", "build", "-o", program, "./examples/playground")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	server := exec.Command(program, "-addr", "127.0.0.1:0")
	server.Dir = root
	server.Stderr = os.Stderr
	stdout, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		_ = os.RemoveAll(dir)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "http://") {
			base = lines.Text()
			return stop, nil
		}
		built += lines.Text() + "\n"
	}
	stop()
	return nil, fmt.Errorf("the server ended")
}

// A page is a tab of the browser.
type page struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	troubles []string // errors and warnings of the browser
}

// A look has the appearance of a page.
type look struct {
	width, height int64
	dark          bool
	phone         bool            // with touch
	before        chromedp.Action // before the page is loaded; nil: nothing
}

// open opens the page at a fragment of the address, and waits for the first answer. At the end of the test it checks
// that there were no requests to other hosts and no errors or warnings of the browser.
func open(t *testing.T, fragment string, as look) *page {
	t.Helper()
	if browser == nil {
		t.Skip("no browser: see the top of the output")
	}
	ctx, cancel := chromedp.NewContext(browser)
	ctx, cancelTime := context.WithTimeout(ctx, 5*time.Minute)
	p := &page{t: t, ctx: ctx}
	t.Cleanup(func() {
		p.check()
		cancelTime()
		cancel()
	})
	chromedp.ListenTarget(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			p.requests = append(p.requests, e.Request.URL)
		case *runtime.EventExceptionThrown:
			p.troubles = append(p.troubles, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			p.troubles = append(p.troubles, e.Entry.Text)
		}
	})
	scheme := "light"
	if as.dark {
		scheme = "dark"
	}
	if as.width == 0 {
		as.width, as.height = 1280, 900
	}
	if as.before == nil {
		as.before = chromedp.Tasks(nil)
	}
	viewport := chromedp.EmulateViewport(as.width, as.height)
	if as.phone {
		viewport = chromedp.EmulateViewport(as.width, as.height, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	p.run(network.Enable(), log.Enable(),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		viewport, as.before, chromedp.Navigate(base+fragment))
	p.wait(`document.getElementById("definition-badge").textContent !== ""`)
	return p
}

// check checks what must be true for every page.
func (p *page) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, url := range p.requests {
		own := strings.HasPrefix(url, base) || strings.HasPrefix(url, "blob:"+base) || strings.HasPrefix(url, "data:")
		require.True(p.t, own, "a request to another host: %s", url)
	}
	require.NotEmpty(p.t, p.requests)
	require.Empty(p.t, p.troubles)
}

func (p *page) run(actions ...chromedp.Action) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Run(p.ctx, actions...))
}

// value returns the value of an expression.
func value[T any](p *page, expression string) (v T) {
	p.t.Helper()
	p.run(chromedp.Evaluate(expression, &v))
	return v
}

// text returns the text of an element.
func (p *page) text(selector string) string {
	p.t.Helper()
	return value[string](p, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? "there is no such element"`, selector))
}

// wait waits until an expression is true.
func (p *page) wait(condition string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Minute) // machines may be busy
	defer cancel()
	err := chromedp.Run(ctx, chromedp.Poll(condition, nil, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(0)))
	if err != nil {
		p.t.Fatalf("%v, waiting for %s; the page shows\n%s", err, condition, p.text("body"))
	}
}

// waitText waits until an element shows a text.
func (p *page) waitText(selector, text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, selector, text))
}

// fill replaces the text of an editor, as if it had been typed.
func (p *page) fill(editor, text string) {
	p.t.Helper()
	p.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const area = document.querySelector("#%s textarea");
		area.value = %s;
		area.dispatchEvent(new Event("input"));
	})()`, editor, quote(text)), nil))
}

// example chooses an example.
func (p *page) example(name string) {
	p.t.Helper()
	p.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const chooser = document.getElementById("example");
		chooser.value = %q;
		chooser.dispatchEvent(new Event("change"));
	})()`, name), nil))
}

// answered waits until the page has answered the current texts.
func (p *page) answered(f func()) {
	p.t.Helper()
	before := value[int](p, `performance.getEntriesByName("answer").length`)
	f()
	p.wait(fmt.Sprintf(`performance.getEntriesByName("answer").length > %d`, before))
}

// settled waits until the page has answered all questions.
func (p *page) settled() {
	p.t.Helper()
	p.wait(`document.querySelector("[aria-busy]") === null`)
}
