package hostile

import (
	"crypto/x509"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
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
	soak       = flag.Duration("soak", 0, "attack examples/webhook for so long, beside honest clients")
	soakWithin = flag.Duration("soak-within", time.Second, "an honest review must be answered; a busy machine takes longer")
)

const (
	soakHonest  = 20                     // clients
	soakHostile = 4                      // clients that post hostile reviews, beside one that attacks the transport
	soakPause   = 50 * time.Millisecond  // of an honest client between two reviews
	soakMemory  = "512MiB"               // GOMEMLIMIT of the webhook
	soakPeak    = 700 << 20              // the most memory that it may have
	soakEvery   = 100 * time.Millisecond // the memory is looked at
)

// TestSoak starts the program of examples/webhook with a memory limit, posts all hostile reviews to it again and again
// and attacks its transport, while honest clients post theirs.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("needs -soak")
	}
	to, process := startSoaked(t)
	end := time.Now().Add(*soak)
	var all sync.WaitGroup
	honest := make([]soaked, soakHonest)
	for i := range honest {
		all.Go(func() { honest[i] = to.beHonest(end) })
	}
	hostile := make([]map[string]int, soakHostile+1)
	for i := range soakHostile {
		all.Go(func() { hostile[i] = to.postHostile(end, uint64(i)) })
	}
	all.Go(func() { hostile[soakHostile] = to.attackTransport(end) })
	peak, died := process.watch(end)
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
	t.Logf("honest: %d sent, %d failed; median %v, p99 %v, p99.9 %v, slowest %v",
		len(sum.took), len(sum.failed), quantile(500), quantile(990), quantile(999), quantile(1000))
	answers, sent := map[string]int{}, 0
	for _, h := range hostile {
		for answer, n := range h {
			answers[answer] += n
			sent += n
		}
	}
	t.Logf("hostile: %d sent", sent)
	for _, answer := range slices.Sorted(maps.Keys(answers)) {
		t.Logf("%7d %s", answers[answer], answer)
	}
	t.Logf("peak of the memory: %d MiB", peak>>20)

	require.False(t, died, "the webhook ended")
	require.Empty(t, sum.failed[:min(len(sum.failed), 10)], "%d honest reviews failed", len(sum.failed))
	require.LessOrEqual(t, peak, int64(soakPeak), "bytes of memory")
}

// A soaked is what an honest client saw.
type soaked struct {
	took   []time.Duration
	failed []string
}

func (to webhookTarget) beHonest(end time.Time) (s soaked) {
	client := newWebhookTarget(to.address, to.tls.RootCAs)
	defer client.client.CloseIdleConnections()
	for i := 0; time.Now().Before(end); i++ {
		before := time.Now()
		err := client.honest(i, *soakWithin)
		s.took = append(s.took, time.Since(before))
		if err != nil {
			s.failed = append(s.failed, err.Error())
		}
		time.Sleep(soakPause)
	}
	return s
}

// postHostile posts hostile reviews in a random order and returns how often each was answered how.
func (to webhookTarget) postHostile(end time.Time, seed uint64) map[string]int {
	client := newWebhookTarget(to.address, to.tls.RootCAs)
	defer client.client.CloseIdleConnections()
	order := rand.New(rand.NewPCG(seed, seed))
	answers := map[string]int{}
	for time.Now().Before(end) {
		for _, i := range order.Perm(len(webhookAttacks)) {
			a := webhookAttacks[i]
			path := []string{"/validate", "/mutate"}[order.IntN(2)]
			answer := client.post(path+"?timeout=10s", "application/json", strings.NewReader(a.body(a.n)))
			if strings.HasPrefix(answer, "error") {
				answer = "error"
			}
			answers[a.name+": "+webhookVerdict(answer)]++
			if time.Now().After(end) {
				break
			}
		}
	}
	return answers
}

// attackTransport runs one attack on the transport after the other.
func (to webhookTarget) attackTransport(end time.Time) map[string]int {
	answers := map[string]int{}
	for i := 0; time.Now().Before(end); i++ {
		a := webhookTransports[i%len(webhookTransports)]
		client := newWebhookTarget(to.address, to.tls.RootCAs)
		answer, stop := a.attack(client, a.n)
		if stop != nil {
			time.Sleep(200 * time.Millisecond)
			stop()
		}
		client.client.CloseIdleConnections()
		if strings.HasPrefix(answer, "error") {
			answer = "error"
		}
		answers[a.name+": "+answer]++
	}
	return answers
}

// A soakedProcess is the webhook under way.
type soakedProcess struct {
	id    int
	ended chan struct{}
}

func startSoaked(t *testing.T) (webhookTarget, soakedProcess) {
	t.Helper()
	dir := t.TempDir()
	program, file := filepath.Join(dir, "webhook"), filepath.Join(dir, "crds.yaml")
	built, err := exec.Command("go", "build", "-o", program, "../../../examples/webhook").CombinedOutput()
	require.NoError(t, err, "%s", built)
	require.NoError(t, os.WriteFile(file, []byte(webhookDefinitions()), 0o600))

	certs := filepath.Join(dir, "certs")
	cmd := exec.CommandContext(t.Context(), program, "-self-signed", "-certs", certs, "-listen", "127.0.0.1:0", file)
	cmd.Env = append(os.Environ(), "GOMEMLIMIT="+soakMemory)
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	cmd.Stderr = log
	require.NoError(t, cmd.Start())
	p := soakedProcess{cmd.Process.Pid, make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.ended
		log.Close()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the end of the webhook's log: %s", text[max(0, len(text)-2_000):])
		}
	})
	address := ""
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(log.Name())
		line, _, ended := strings.Cut(string(text), "\n")
		_, address, _ = strings.Cut(line, " listening on https://")
		return err == nil && ended && address != ""
	}, time.Minute, 10*time.Millisecond)
	authority, err := os.ReadFile(filepath.Join(certs, "ca.crt"))
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	require.True(t, trusted.AppendCertsFromPEM(authority))
	return newWebhookTarget(address, trusted), p
}

// watch returns the most memory that the process had until the end, and whether it died before.
func (p soakedProcess) watch(end time.Time) (peak int64, died bool) {
	for time.Now().Before(end) {
		select {
		case <-p.ended:
			return peak, true
		case <-time.After(soakEvery):
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.id))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			var kib int64
			if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
				peak = max(peak, kib<<10)
			}
		}
	}
	return peak, false
}
