package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// A ledger has the writes that the server has acknowledged to a client.
type ledger struct {
	counts  map[string]int // by name: what was acknowledged
	pending string         // the name that was being written when the server died
	version int64          // the highest seen
	writes  int
}

// crashes kills the server during writes, and checks that no acknowledged write is lost.
func (o options) crashes(ctx context.Context, servers []*process) error {
	ledgers := make([]*ledger, o.clients)
	for i := range ledgers {
		ledgers[i] = &ledger{counts: map[string]int{}}
	}
	items, version, err := servers[0].client().list(ctx)
	if err != nil {
		return err
	}
	watch := newMirror(items, version)
	r := rand.New(rand.NewPCG(1, 1))
	for n := range o.kills {
		after := time.Duration(50+r.IntN(300)) * time.Millisecond
		p := servers[n%len(servers)]
		if err := crash(ctx, servers, p, ledgers, watch, after); err != nil {
			return fmt.Errorf("at kill %d: %w", n+1, err)
		}
		if err := p.start(ctx); err != nil {
			return fmt.Errorf("after kill %d: %w", n+1, err)
		}
		if err := verify(ctx, p.client(), ledgers); err != nil {
			return fmt.Errorf("after kill %d: %w", n+1, err)
		}
	}
	// The watch reads the remaining events.
	p := servers[0]
	last := newCounter(lastOne + "-again")
	if err := p.client().do(ctx, http.MethodPost, collection, last, nil); err != nil {
		return err
	}
	err = p.client().watch(ctx, watch.version, func(e event) bool {
		watch.apply(e)
		return e.Object.Metadata.Name == last.Metadata.Name
	})
	if err != nil {
		return err
	}
	items, _, err = p.client().list(ctx)
	if err := errors.Join(err, watch.compare(items)); err != nil {
		return err
	}
	writes := 0
	for _, l := range ledgers {
		writes += l.writes
	}
	fmt.Printf("%d kills\n  all %d acknowledged writes are there; one watch, resumed each time, had %d events, once and in order\n",
		o.kills, writes, watch.events)
	return nil
}

// crash lets clients write until a server is killed. Clients of other servers continue for the same time again. It
// returns their errors.
func crash(ctx context.Context, servers []*process, victim *process, ledgers []*ledger, watch *mirror, after time.Duration) error {
	stop := make(chan struct{})
	var running sync.WaitGroup
	failed := make([]error, len(ledgers))
	for i, l := range ledgers {
		p := servers[i%len(servers)]
		c := p.client()
		running.Go(func() {
			if err := l.work(ctx, c, i, stop); p != victim {
				failed[i] = err
			}
		})
	}
	running.Go(func() {
		_ = victim.client().watch(ctx, watch.version, func(e event) bool { // ends with the server
			watch.apply(e)
			return false
		})
	})
	time.Sleep(after)
	victim.kill()
	if len(servers) > 1 {
		time.Sleep(after)
	}
	close(stop)
	running.Wait()
	return errors.Join(failed...)
}

// work writes until the server is gone, which is an error, or until stop is closed.
func (l *ledger) work(ctx context.Context, c *client, i int, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		name := fmt.Sprintf("crash-%d-%d", i, rand.IntN(20))
		l.pending = name
		var got counter
		var err error
		if _, has := l.counts[name]; has {
			got, _, err = c.increment(ctx, name)
		} else {
			err = c.do(ctx, http.MethodPost, collection, newCounter(name), &got)
		}
		if err != nil {
			return err
		}
		l.counts[name], l.pending = got.Spec.Count, ""
		l.version = max(l.version, got.version())
		l.writes++
	}
}

// verify checks that all acknowledged writes are stored. A write that was not acknowledged may be stored or not; if it
// is, it must not disappear.
func verify(ctx context.Context, c *client, ledgers []*ledger) error {
	items, version, err := c.list(ctx)
	if err != nil {
		return err
	}
	there := map[string]counter{}
	for _, item := range items {
		there[item.Metadata.Name] = item
	}
	for _, l := range ledgers {
		if version < l.version {
			return fmt.Errorf("the server is at %d, and has been at %d", version, l.version)
		}
		for name, count := range l.counts {
			got, has := there[name]
			switch {
			case has && got.Spec.Count == count:
			case has && got.Spec.Count == count+1 && name == l.pending:
				l.counts[name]++
			default:
				return fmt.Errorf("%s: %d was acknowledged, and it is %v", name, count, got)
			}
		}
		if _, promised := l.counts[l.pending]; l.pending != "" && !promised {
			if got, has := there[l.pending]; has {
				l.counts[l.pending] = got.Spec.Count
			}
		}
		l.pending = ""
	}
	return nil
}
