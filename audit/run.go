package audit

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The size of a batch: large enough to make the cost of channels small, and small enough for memory and for slow
// streams.
const (
	batchObjects = 64
	batchBytes   = 256 << 10
)

// A batch has some objects of a run.
type batch struct {
	first int64 // position of the first, from 0
	text  []byte
	items []item
}

// An item is one of them: a part of the text, or an error.
type item struct {
	from, to int
	err      error
}

// Run audits the objects of an iterator with the number of workers of the options. An error of the iterator counts as a
// damaged object. The iterator may reuse the text of an object for the next one.
//
// If ctx ends, Run returns its error at once, with a report of what was done so far. It does not wait for an iterator
// that is blocked, nor for objects that are being audited: these goroutines end when they are done with it.
//
// To show the progress of a run, count the objects that the iterator yields.
func (a *Audit) Run(ctx context.Context, objects iter.Seq2[[]byte, error]) (*Report, error) {
	start := time.Now()
	workers := a.options.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	examples := a.options.Examples
	if examples <= 0 {
		examples = 3
	}
	builder := reportBuilder{examples: examples, groups: map[findingKey]*Group{}, versions: map[string]int64{}, storage: a.checker.resource.StorageVersion().Name(), listed: a.checker.listed}
	builder.report = Report{Group: a.checker.group, Kind: a.checker.kind, Compared: a.old != nil}
	batches, free := make(chan *batch, workers), make(chan *batch, 2*workers+1)
	go feed(ctx, objects, batches, free)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case b, more := <-batches:
					if !more {
						return
					}
					a.work(ctx, b, &builder)
					select {
					case free <- b:
					default:
					}
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	return builder.finish(time.Since(start)), ctx.Err()
}

// feed sends the objects in batches. It reuses batches from free.
func feed(ctx context.Context, objects iter.Seq2[[]byte, error], batches chan<- *batch, free <-chan *batch) {
	defer close(batches)
	b, position := &batch{}, int64(0)
	send := func() bool {
		if len(b.items) == 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case batches <- b:
		}
		select {
		case b = <-free:
			if cap(b.text) > 2*batchBytes {
				b.text = nil
			}
			clear(b.items)
			*b = batch{text: b.text[:0], items: b.items[:0]}
		default:
			b = &batch{}
		}
		b.first = position
		return true
	}
	for body, err := range objects {
		if ctx.Err() != nil {
			return
		}
		from := len(b.text)
		if err == nil {
			b.text = append(b.text, body...)
		}
		b.items = append(b.items, item{from, len(b.text), err})
		position++
		if (len(b.items) == batchObjects || len(b.text) >= batchBytes) && !send() {
			return
		}
	}
	send()
}

// work audits the objects of a batch.
func (a *Audit) work(ctx context.Context, b *batch, builder *reportBuilder) {
	for i, it := range b.items {
		if ctx.Err() != nil {
			break
		}
		o := Outcome{Class: Damaged, Err: it.err}
		if it.err == nil {
			o = a.Object(ctx, b.text[it.from:it.to:it.to])
		}
		if ctx.Err() != nil {
			break // the outcome may be incomplete
		}
		if o.Class == Clean && o.Version == a.checker.resource.StorageVersion().Name() && !o.Unconverted {
			builder.clean.Add(1)
		} else {
			builder.add(b.first+int64(i), &o)
		}
	}
}

// A reportBuilder makes the report of a run. The report does not depend on the order in which objects are added.
type reportBuilder struct {
	clean    atomic.Int64 // objects in the storage version
	storage  string
	listed   []string         // the versions in status.storedVersions
	versions map[string]int64 // the number of other objects in each version
	mu       sync.Mutex
	finished bool   // nothing is added any more
	report   Report // of objects that are not clean
	groups   map[findingKey]*Group
	damages  []positioned
	examples int
}

// The maximum sizes of a report. It has the first groups in order, and the first damages.
const (
	maxGroups  = 1000
	maxDamages = 20
)

func (b *reportBuilder) add(position int64, o *Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finished {
		return
	}
	r := &b.report
	r.Objects++
	if o.Version != "" {
		b.versions[o.Version]++
	}
	if o.Unconverted {
		r.Unconverted++
	}
	switch o.Class {
	case Clean:
		r.Clean++
		return
	case Foreign:
		r.Foreign++
		return
	case Damaged:
		r.Damaged++
		b.damages = keepFirst(b.damages, positioned{position, truncate(o.Err.Error(), maxText)}, maxDamages)
		return
	case Broken:
		r.Broken++
	case Changed:
		r.Changed++
	}
	if slices.ContainsFunc(o.Findings, func(f Finding) bool { return f.breaks(r.Compared) }) {
		r.New++
	}
	for i := range o.Findings {
		f := o.Findings[i]
		f.Path, f.Text = truncate(f.Path, maxText), truncate(f.Text, maxText)
		g := b.group(f.key())
		if g == nil {
			r.Omitted++
			continue
		}
		g.Objects++
		if f.Before {
			g.Before++
		}
		if g.Text == "" || position < g.first {
			g.first, g.Text = position, f.Text
		}
		name := truncate(o.Name, maxText)
		if name == "" {
			name = fmt.Sprintf("object %d, without a name", position+1)
		}
		g.named = keepFirst(g.named, positioned{position, name}, b.examples)
	}
}

// maxText is how many bytes of a text from an object a report keeps.
const maxText = 1 << 10

// truncate cuts a text that is longer than limit bytes. The result shares no memory with a longer text.
func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "..."
}

// A positioned text is about the object at a position.
type positioned struct {
	position int64
	text     string
}

// keepFirst adds p to a list that is sorted by position and has a limit.
func keepFirst(list []positioned, p positioned, limit int) []positioned {
	i, _ := slices.BinarySearchFunc(list, p.position, func(q positioned, at int64) int { return cmp.Compare(q.position, at) })
	if i >= limit {
		return list
	}
	list = slices.Insert(list, i, p)
	return list[:min(len(list), limit)]
}

// group returns the group of a key. If there are too many groups, it removes the last one in order, or returns nil if
// that is the one of p.
func (b *reportBuilder) group(p findingKey) *Group {
	if g := b.groups[p]; g != nil {
		return g
	}
	if len(b.groups) == maxGroups {
		last := p
		for q := range b.groups {
			if q.compare(last) > 0 {
				last = q
			}
		}
		if last == p {
			return nil
		}
		b.report.Omitted += b.groups[last].Objects
		delete(b.groups, last)
	}
	g := &Group{Question: p.question, Version: p.version, Type: p.errorType, Path: p.path, Rule: p.rule}
	b.groups[p] = g
	return g
}

func (b *reportBuilder) finish(elapsed time.Duration) *Report {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finished = true
	r := &b.report
	clean := b.clean.Load()
	r.Clean += clean
	r.Objects += clean
	if clean > 0 {
		b.versions[b.storage] += clean
	}
	for _, name := range slices.Sorted(maps.Keys(b.versions)) {
		r.Versions = append(r.Versions, StoredVersion{name, b.versions[name], name == b.storage})
	}
	for _, name := range b.listed {
		if name != b.storage && b.versions[name] == 0 && r.Damaged == 0 {
			r.Removable = append(r.Removable, name)
		}
	}
	r.Seconds = elapsed.Seconds()
	if r.Seconds > 0 {
		r.PerSecond = float64(r.Objects) / r.Seconds
	}
	groups := slices.SortedFunc(maps.Values(b.groups), func(a, b *Group) int { return a.key().compare(b.key()) })
	for _, g := range groups {
		for _, n := range g.named {
			g.Names = append(g.Names, n.text)
		}
		r.Findings = append(r.Findings, *g)
	}
	for _, d := range b.damages {
		r.Damages = append(r.Damages, Damage{d.position, d.text})
	}
	return r
}
