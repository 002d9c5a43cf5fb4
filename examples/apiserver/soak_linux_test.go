package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	soak       = flag.Duration("soak", 0, "attack the server for so long, with each store, beside honest clients")
	soakWithin = flag.Duration("soak-within", time.Second, "an honest request must be answered; a busy machine takes longer")
)

const (
	soakHonest = 20                    // clients
	soakPause  = 50 * time.Millisecond // of an honest client between two requests
	soakPeak   = 1 << 30               // the most memory that the server may have, with its mapped file
	soakLarge  = 50                    // objects of 2 MB
	soakSize   = 2_000_000
)

// TestSoak starts the program, and attacks it with idle connections, watches and lists of large objects that nobody
// reads, and bodies that are slow or need much memory, while honest clients write and read small objects.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("needs -soak")
	}
	program := filepath.Join(t.TempDir(), "apiserver")
	built, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", built)
	for _, store := range []string{"file", "memory"} {
		t.Run(store, func(t *testing.T) { soakStore(t, program, store) })
	}
}

func soakStore(t *testing.T, program, store string) {
	to := startSoaked(t, program, store == "memory")
	to.fill(t)
	end := time.Now().Add(*soak)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	var all sync.WaitGroup
	honest := make([]soaked, soakHonest)
	for i := range honest {
		all.Go(func() { honest[i] = to.beHonest(ctx, i) })
	}
	hostile := tally{counts: map[string]int{}}
	for range 4 {
		all.Go(func() { to.open(ctx, 400, &hostile, "idle connections", healthz) })
	}
	all.Go(func() { to.open(ctx, 300, &hostile, "silent connections", "") })
	all.Go(func() { to.open(ctx, 100, &hostile, "unread watches", to.get(blobs+"?watch=true")) })
	all.Go(func() { to.open(ctx, 50, &hostile, "unread lists", to.get(blobs)) })
	all.Go(func() { to.open(ctx, 20, &hostile, "unread lists of some", to.get(blobs+"?limit=3")) })
	all.Go(func() {
		to.open(ctx, 20, &hostile, "unread objects", to.get(blobs+"/b1"))
	})
	all.Go(func() { to.open(ctx, 150, &hostile, "slow bodies", to.post(blobs, 1_000_000, "{")) })
	all.Go(func() {
		to.open(ctx, 150, &hostile, "slow bodies that claim to be watches", to.post(blobs+"?watch=true", 3_000_000, strings.Repeat(" ", 20_000)))
	})
	for i := range 3 {
		all.Go(func() { to.postHostile(ctx, i, &hostile) })
	}
	peak, anonymous, died := to.measure(ctx)
	all.Wait()

	var sum soaked
	for _, h := range honest {
		sum.took, sum.failed = append(sum.took, h.took...), append(sum.failed, h.failed...)
	}
	slices.Sort(sum.took)
	require.NotEmpty(t, sum.took)
	quantile := func(per1000 int) time.Duration {
		return sum.took[(len(sum.took)-1)*per1000/1000].Round(time.Millisecond)
	}
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("honest: %d sent, %d failed; median %v, p99 %v, p99.9 %v, slowest %v; load of the machine %s",
		len(sum.took), len(sum.failed), quantile(500), quantile(990), quantile(999), quantile(1000), strings.TrimSpace(string(load)))
	for _, name := range slices.Sorted(maps.Keys(hostile.counts)) {
		t.Logf("%7d %s", hostile.counts[name], name)
	}
	t.Logf("peak of the memory: %d MiB, of which %d MiB are not the file", peak>>20, anonymous>>20)
	require.False(t, died, "the server ended")
	require.Empty(t, sum.failed[:min(len(sum.failed), 10)], "%d honest requests failed", len(sum.failed))
	require.LessOrEqual(t, peak, int64(soakPeak), "bytes of memory")
}

const (
	soakGroup = "/apis/soak.example.com/v1/namespaces/default/"
	blobs     = soakGroup + "blobs"
	notes     = soakGroup + "notes"
	healthz   = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
)

// A soakTarget is a server that is attacked.
type soakTarget struct {
	address, token string
	tls            *tls.Config
	process        int
	ended          chan struct{}
}

func startSoaked(t *testing.T, program string, memory bool) *soakTarget {
	t.Helper()
	dir := t.TempDir()
	s := &instance{kubeconfig: filepath.Join(dir, "kubeconfig")}
	cmd := exec.CommandContext(t.Context(), program, "-data", filepath.Join(dir, "db"), "-kubeconfig", s.kubeconfig, fmt.Sprintf("-memory=%v", memory))
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	var stdout buffer
	cmd.Stdout, cmd.Stderr = &stdout, log
	require.NoError(t, cmd.Start())
	to := &soakTarget{process: cmd.Process.Pid, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(to.ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-to.ended
		log.Close()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the end of the log: %s", text[max(0, len(text)-2_000):])
		}
	})
	require.Eventually(t, func() bool { return strings.Contains(stdout.String(), "kubectl apply") }, 20*time.Second, 10*time.Millisecond)
	to.tls, to.address = s.client(t)
	to.token = s.token(t)
	return to
}

// fill creates the definitions and the large objects.
func (to *soakTarget) fill(t *testing.T) {
	t.Helper()
	client := to.client()
	for plural, kind := range map[string]string{"blobs": "Blob", "notes": "Note"} {
		spec := `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"n":{"type":"integer","minimum":0},"data":{"type":"string"}}}`
		_, err := to.do(t.Context(), client, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", fmt.Sprintf(`{
			"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%[1]s.soak.example.com"},"spec":{
			"group":"soak.example.com","scope":"Namespaced","names":{"plural":%[1]q,"kind":%[2]q},"versions":[{"name":"v1","served":true,
			"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":%[3]s}}}}]}}`, plural, kind, spec))
		require.NoError(t, err)
	}
	for i := range soakLarge {
		_, err := to.do(t.Context(), client, "POST", blobs, blob(i, i))
		require.NoError(t, err)
	}
}

// blob returns a large object: a text, or for every fifth name many small maps.
func blob(name, n int) string {
	data := `"data":"` + strings.Repeat("x", soakSize) + `"`
	if name%5 == 0 {
		data = `"many":[` + strings.Repeat(`{"a":1},`, soakSize/10) + `{}]`
	}
	return fmt.Sprintf(`{"apiVersion":"soak.example.com/v1","kind":"Blob","metadata":{"name":"b%d"},"spec":{"n":%d,%s}}`, name, n, data)
}

// client returns a client with connections of its own.
func (to *soakTarget) client() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: to.tls.Clone(), ForceAttemptHTTP2: true}, Timeout: 2 * time.Minute}
}

// do sends a request and returns the body of the response. Another code than 2xx is an error.
func (to *soakTarget) do(ctx context.Context, client *http.Client, method, path, body string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, "https://"+to.address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+to.token)
	request.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %.300s", method, path, response.Status, answer)
	}
	return answer, err
}

// A soaked is what an honest client saw.
type soaked struct {
	took   []time.Duration
	failed []string
}

// beHonest creates, reads, changes, lists and deletes notes, and watches them: each change must arrive.
func (to *soakTarget) beHonest(ctx context.Context, i int) (s soaked) {
	client := to.client()
	defer client.CloseIdleConnections()
	name := fmt.Sprintf("n%d", i)
	failed := func(err error) {
		s.failed = append(s.failed, fmt.Sprintf("%s: %v", time.Now().Format("15:04:05.000"), err))
	}
	step := func(method, path, body string) []byte {
		before := time.Now()
		answer, err := to.do(context.WithoutCancel(ctx), client, method, path, body)
		took := time.Since(before)
		s.took = append(s.took, took)
		if err == nil && took > *soakWithin {
			err = fmt.Errorf("%s %s took %v", method, path, took)
		}
		if err != nil {
			failed(err)
		}
		time.Sleep(soakPause)
		return answer
	}
	for n := 0; ctx.Err() == nil; n++ {
		created := step("POST", notes, fmt.Sprintf(`{"apiVersion":"soak.example.com/v1","kind":"Note","metadata":{"name":%q},"spec":{"n":0}}`, name))
		seen := make(chan error, 1)
		watching, stop := context.WithTimeout(context.WithoutCancel(ctx), 20**soakWithin)
		go func() { seen <- to.sees(watching, client, name, created) }()
		step("GET", notes+"/"+name, "")
		step("PATCH", notes+"/"+name, `{"spec":{"n":1}}`)
		step("GET", notes+"?fieldSelector=metadata.name%3D"+name, "")
		step("DELETE", notes+"/"+name, "")
		before := time.Now()
		if err := <-seen; err != nil {
			failed(fmt.Errorf("a watch: %w", err))
		} else if took := time.Since(before); took > *soakWithin {
			failed(fmt.Errorf("the last event arrived after %v", took))
		}
		stop()
	}
	return s
}

// sees watches a note since it was created until it is deleted.
func (to *soakTarget) sees(ctx context.Context, client *http.Client, name string, created []byte) error {
	var note struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(created, &note); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, "GET", "https://"+to.address+notes+"?watch=true&fieldSelector=metadata.name%3D"+name+
		"&resourceVersion="+note.Metadata.ResourceVersion, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+to.token)
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	for events := json.NewDecoder(response.Body); ; {
		var event struct{ Type string }
		switch err := events.Decode(&event); {
		case err != nil:
			return err
		case event.Type == "DELETED":
			return nil
		case event.Type == "ERROR":
			return fmt.Errorf("%s: %v", response.Status, event)
		}
	}
}

// A tally counts what attackers did.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *tally) add(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[what]++
}

func (to *soakTarget) get(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + to.token + "\r\n\r\n"
}

func (to *soakTarget) post(path string, length int, start string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, to.token, length, start)
}

// open keeps n connections open, on which it sends a text and then neither sends nor reads. It closes the oldest for each
// new one. Without a text there is no handshake.
func (to *soakTarget) open(ctx context.Context, n int, counts *tally, name, text string) {
	var held []net.Conn
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	for ctx.Err() == nil {
		dialer := &net.Dialer{Timeout: 5 * time.Second}
		c, err := dialer.DialContext(ctx, "tcp", to.address)
		if err == nil && text != "" {
			_ = c.SetDeadline(time.Now().Add(5 * time.Second))
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetReadBuffer(4 << 10)
			}
			secure := tls.Client(c, to.tls)
			if err = secure.Handshake(); err == nil {
				_, err = io.WriteString(secure, text)
			}
			c = secure
		}
		if err != nil {
			counts.add(name + ": refused")
			if c != nil {
				c.Close()
			}
			continue
		}
		counts.add(name)
		if held = append(held, c); len(held) > n {
			held[0].Close()
			held = held[1:]
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// postHostile posts bodies that need much memory or time, and replaces large objects, so that watches have events.
func (to *soakTarget) postHostile(ctx context.Context, seed int, counts *tally) {
	client := to.client()
	defer client.CloseIdleConnections()
	object := func(spec string) string {
		return `{"apiVersion":"soak.example.com/v1","kind":"Blob","metadata":{"generateName":"x"},"spec":` + spec + `}`
	}
	bodies := []struct{ name, method, path, body string }{
		{"brackets", "POST", blobs, strings.Repeat("[", 3<<20)},
		{"empty maps", "POST", blobs + "?dryRun=All", object(`{"a":[` + strings.Repeat("{},", 900_000) + `{}]}`)},
		{"maps in maps", "POST", blobs + "?dryRun=All", object(strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000))},
		{"wrong items", "POST", blobs + "?dryRun=All", object(`{"data":[` + strings.Repeat("1,", 1_000_000) + `1]}`)},
		{"fields", "POST", blobs + "?dryRun=All", object(`{` + strings.Repeat(`"a":1,`, 400_000) + `"b":1}`)},
		{"too long", "POST", blobs, strings.Repeat(" ", 4<<20)},
		{"a patch", "PATCH", blobs + "/b2?dryRun=All", `{"spec":{"a":` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + `}}`},
	}
	for i := seed; ctx.Err() == nil; i++ {
		b := bodies[i%len(bodies)]
		if i%2 == 0 { // replace an object
			name := i % soakLarge
			b = struct{ name, method, path, body string }{"replaced", "PUT", fmt.Sprintf("%s/b%d", blobs, name), blob(name, i)}
		}
		_, err := to.do(ctx, client, b.method, b.path, b.body)
		answer := "200"
		if err != nil {
			answer = "failed"
			if _, code, ok := strings.Cut(err.Error(), b.path+": "); ok {
				answer = code[:min(3, len(code))]
			}
		}
		counts.add("body: " + b.name + ": " + answer)
	}
}

// measure returns the most memory that the process had until the end, with and without its mapped file, and whether it
// died before.
func (to *soakTarget) measure(ctx context.Context) (peak, anonymous int64, died bool) {
	for {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", to.process))
		for line := range bytes.Lines(text) {
			var kib int64
			if _, err := fmt.Sscanf(string(line), "VmHWM: %d kB", &kib); err == nil {
				peak = max(peak, kib<<10)
			}
			if _, err := fmt.Sscanf(string(line), "RssAnon: %d kB", &kib); err == nil {
				anonymous = max(anonymous, kib<<10)
			}
		}
		select {
		case <-to.ended:
			return peak, anonymous, true
		case <-ctx.Done():
			return peak, anonymous, err != nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}
