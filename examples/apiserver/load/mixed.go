package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	shared  = 10        // counters that all clients increment
	maxOwn  = 50        // others that a client has at a time, so that the lists do not grow
	lastOne = "finally" // its creation is the last event
)

// A tally counts the operations of a client.
type tally struct {
	created, updated, deleted, listed, conflicts int
	took                                         []time.Duration // by the writes
}

// mixed makes clients write and watch.
func (o options) mixed(ctx context.Context, servers []*process) error {
	c := servers[0].client()
	client := func(i int) *client { return servers[i%len(servers)].client() }
	memory := func() (most int) {
		for _, p := range servers {
			most = max(most, p.anonymous())
		}
		return most
	}
	for i := range shared {
		if err := c.do(ctx, http.MethodPost, collection, newCounter(fmt.Sprintf("shared-%d", i)), nil); err != nil {
			return err
		}
	}
	items, version, err := c.list(ctx)
	if err != nil {
		return err
	}

	var watching, writing sync.WaitGroup
	mirrors, watched := make([]*mirror, o.clients), make([]error, o.clients)
	for i := range o.clients {
		m := newMirror(items, version)
		mirrors[i] = m
		watching.Go(func() {
			watched[i] = client(i).watch(ctx, version, func(e event) bool {
				m.apply(e)
				return e.Object.Metadata.Name == lastOne
			})
		})
	}
	tallies, failed := make([]tally, o.clients), make([]error, o.clients)
	most, began, end := 0, time.Now(), time.Now().Add(o.duration)
	for i := range o.clients {
		writing.Go(func() { tallies[i], failed[i] = client(i).work(ctx, i, end) })
	}
	go func() {
		for time.Now().Before(end) && ctx.Err() == nil {
			most = max(most, memory())
			time.Sleep(time.Second)
		}
	}()
	writing.Wait()
	elapsed := time.Since(began)
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if err := c.do(ctx, http.MethodPost, collection, newCounter(lastOne), nil); err != nil {
		return err
	}
	watching.Wait()
	after, _, err := c.list(ctx)
	if err := errors.Join(append(watched, err)...); err != nil {
		return err
	}
	return o.evaluate(tallies, mirrors, after, elapsed, max(most, memory()))
}

// work runs one client.
func (c *client) work(ctx context.Context, i int, end time.Time) (t tally, err error) {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	own := []string{}
	for n := 0; time.Now().Before(end) && err == nil; n++ {
		began := time.Now()
		switch k := r.IntN(20); {
		case k < 1:
			_, _, err = c.list(ctx)
			t.listed++
			continue
		case k < 5 && len(own) < maxOwn:
			made := newCounter(fmt.Sprintf("own-%d-%d", i, n))
			made.Spec.Text = strings.Repeat("x", r.IntN(5000))
			err = c.do(ctx, http.MethodPost, collection, made, nil)
			own = append(own, made.Metadata.Name)
			t.created++
		case k < 8 && len(own) > 0:
			at := r.IntN(len(own))
			err = c.do(ctx, http.MethodDelete, collection+"/"+own[at], nil, nil)
			own = slices.Delete(own, at, at+1)
			t.deleted++
		default:
			var conflicts int
			_, conflicts, err = c.increment(ctx, fmt.Sprintf("shared-%d", r.IntN(shared)))
			t.conflicts += conflicts
			t.updated++
		}
		t.took = append(t.took, time.Since(began))
	}
	return t, err
}

// evaluate prints figures, and returns an error if a check failed.
func (o options) evaluate(tallies []tally, mirrors []*mirror, after []counter, elapsed time.Duration, memory int) error {
	var all tally
	for _, t := range tallies {
		all.created += t.created
		all.updated += t.updated
		all.deleted += t.deleted
		all.listed += t.listed
		all.conflicts += t.conflicts
		all.took = append(all.took, t.took...)
	}
	slices.Sort(all.took)
	writes, counted := all.created+all.updated+all.deleted, 0
	for _, item := range after {
		counted += item.Spec.Count
	}
	fmt.Printf("%d clients, %d watches, servers: %d, %s\n", len(tallies), len(mirrors), o.servers, elapsed.Round(time.Second))
	fmt.Printf("  writes:        %d (%d creates, %d updates, %d deletes), %.0f a second; %d lists\n",
		writes, all.created, all.updated, all.deleted, float64(writes)/elapsed.Seconds(), all.listed)
	fmt.Printf("  a write takes: %s in the middle, %s at 99 %%; %d conflicts, all tried again\n",
		all.took[len(all.took)/2].Round(time.Microsecond), all.took[len(all.took)*99/100].Round(time.Microsecond), all.conflicts)
	fmt.Printf("  increments:    %d acknowledged, %d counted\n", all.updated, counted)
	fmt.Printf("  memory:        %d MiB of a server at most, besides the mapped file\n", memory)

	var faults []error
	if counted != all.updated {
		faults = append(faults, fmt.Errorf("%d increments were acknowledged, %d are there", all.updated, counted))
	}
	for i, m := range mirrors {
		if m.events != writes+1 {
			faults = append(faults, fmt.Errorf("watch %d had %d events of %d", i, m.events, writes+1))
		}
		faults = append(faults, m.compare(after))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	fmt.Printf("  watches:       each had all %d events, once and in order\n", writes+1)
	return nil
}
