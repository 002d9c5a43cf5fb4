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

// A ledger is what a client has been promised.
type ledger struct {
	counts  map[string]int // by name: what was acknowledged
	pending string         // the name that was being written when the server died
	version int64          // the highest that was seen
	writes  int
}

// crashes kills the server in the middle of writes, and looks at what is left.
func (o options) crashes(ctx context.Context, p *process) error {
	ledgers := make([]*ledger, o.clients)
	for i := range ledgers {
		ledgers[i] = &ledger{counts: map[string]int{}}
	}
	items, version, err := p.client().list(ctx)
	if err != nil {
		return err
	}
	watch := newMirror(items, version)
	r := rand.New(rand.NewPCG(1, 1))
	for n := range o.kills {
		after := time.Duration(50+r.IntN(300)) * time.Millisecond
		o.crash(ctx, p, ledgers, watch, after)
		if err := p.start(ctx); err != nil {
			return fmt.Errorf("after kill %d: %w", n+1, err)
		}
		if err := verify(ctx, p.client(), ledgers); err != nil {
			return fmt.Errorf("after kill %d: %w", n+1, err)
		}
	}
	// The watch reads what it has not seen yet.
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

// crash has clients write until the server is killed.
func (o options) crash(ctx context.Context, p *process, ledgers []*ledger, watch *mirror, after time.Duration) {
	c := p.client()
	var running sync.WaitGroup
	for i, l := range ledgers {
		running.Go(func() { l.work(ctx, c, i) })
	}
	running.Go(func() {
		_ = c.watch(ctx, watch.version, func(e event) bool { // ends with the server
			watch.apply(e)
			return false
		})
	})
	time.Sleep(after)
	p.kill()
	running.Wait()
}

// work writes until the server is gone.
func (l *ledger) work(ctx context.Context, c *client, i int) {
	for n := 0; ; n++ {
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
			return
		}
		l.counts[name], l.pending = got.Spec.Count, ""
		l.version = max(l.version, got.version())
		l.writes++
	}
}

// verify finds what was promised and is not there. A write that was under way may be there or not, and is promised from then on.
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
