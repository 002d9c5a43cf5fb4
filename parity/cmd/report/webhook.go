package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/crdkit/crdkit/parity/internal/bench"
)

const (
	webhookClients = 4 // that send reviews at the same time
	webhookRounds  = 3
	webhookSide    = "CRDKIT_REPORT_WEBHOOK" // set in the processes of the servers
)

// serveWebhook serves the webhook of a side until standard input ends. It prints its address.
func serveWebhook(side string) error {
	subjects, err := subjects(options{})
	if err != nil {
		return err
	}
	handler := bench.ReferenceWebhook(subjects)
	if side == bench.Crdkit {
		if handler, err = bench.Webhook(subjects); err != nil {
			return err
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.HandleFunc("/cpu", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, cpu().Nanoseconds()) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	go http.Serve(l, mux)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// cpu returns the processor time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A webhookServer is a server in a process of its own.
type webhookServer struct {
	address string
	rate    float64       // reviews a second, the most of all rounds
	cpu     time.Duration // of the reviews
	reviews int64
}

// webhooks compares a validating webhook of package admission with one on Kubernetes' packages: reviews of creates of
// what authors wrote, over HTTP, from clients in this process. Connections are kept, as an API server does, and there
// is no TLS.
func webhooks(w io.Writer, subjects []*bench.Subject, o options) error {
	var servers []*webhookServer
	for _, side := range []string{bench.Crdkit, bench.Reference} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), webhookSide+"="+side)
		cmd.Stderr = os.Stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		defer cmd.Wait()
		defer stdin.Close()
		s := &webhookServer{}
		if _, err := fmt.Fscanln(stdout, &s.address); err != nil {
			return fmt.Errorf("the webhook of %s: %w", side, err)
		}
		servers = append(servers, s)
	}
	var reviews [][]byte
	for _, s := range subjects {
		reviews = append(reviews, s.Review(s.Sent))
	}
	for round := range webhookRounds + 1 { // the first one warms up
		for _, s := range servers {
			if err := s.round(reviews, 50*o.each, round > 0); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(w, "\n### Webhook\n\nReviews of creates of all subjects as sent, to a validating webhook in another process, over HTTP from %d clients.\n\n"+
		"| | reviews/s | CPU of the webhook, a review |\n|---|--:|--:|\n", webhookClients)
	var each [2]float64
	for i, s := range servers {
		each[i] = float64(s.cpu.Nanoseconds()) / float64(s.reviews)
		fmt.Fprintf(w, "| %s | %.0f | %s |\n", []string{bench.Crdkit, bench.Reference}[i], s.rate, duration(each[i]))
	}
	fmt.Fprintf(w, "| ratio | %s | %s |\n", times(servers[0].rate/servers[1].rate), times(each[1]/each[0]))
	return nil
}

// round sends reviews for a while.
func (s *webhookServer) round(reviews [][]byte, while time.Duration, counts bool) error {
	before, err := s.cpuTime()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), while)
	defer cancel()
	var sent atomic.Int64
	errs := make([]error, webhookClients)
	var clients sync.WaitGroup
	start := time.Now()
	for i := range errs {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for n := i; ctx.Err() == nil && errs[i] == nil; n++ {
				errs[i] = review(client, s.address+"/validate", reviews[n%len(reviews)])
				sent.Add(1)
			}
		})
	}
	clients.Wait()
	took := time.Since(start)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	after, err := s.cpuTime()
	if counts {
		s.rate = max(s.rate, float64(sent.Load())/took.Seconds())
		s.cpu += after - before
		s.reviews += sent.Load()
	}
	return err
}

// review sends a review, which has to be allowed.
func review(c *http.Client, url string, body []byte) error {
	answer, err := c.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var got struct{ Response struct{ Allowed bool } }
	if err := json.Unmarshal(text, &got); err != nil || !got.Response.Allowed {
		return fmt.Errorf("%s: not allowed: %s", url, strings.TrimSpace(string(text)))
	}
	return nil
}

func (s *webhookServer) cpuTime() (time.Duration, error) {
	answer, err := http.Get(s.address + "/cpu")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var nanoseconds int64
	_, err = fmt.Fscan(answer.Body, &nanoseconds)
	return time.Duration(nanoseconds), err
}
