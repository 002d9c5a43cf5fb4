package server

import (
	"context"
	"sync"
	"time"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/storage"
)

// This file checks that the objects of a definition can be read before the sweeper deletes them. As in a server, a
// definition stays if its conversion webhook fails (CNV-033).

// readings has the definitions whose objects are being checked, or could not be read.
type readings struct {
	mu     sync.Mutex
	byName map[string]*reading
}

// A reading is the state of the check of one definition.
type reading struct {
	running, readable bool
	next              time.Time // of the next attempt
	pause             time.Duration
}

const maxReadPause = 30 * time.Second

// forget removes definitions that are gone.
func (r *readings) forget(c *catalog.Catalog) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, of := range r.byName {
		if c.Definition(name) == nil && !of.running {
			delete(r.byName, name)
		}
	}
}

// canRead reports whether all objects of a definition can be read in the storage version. It does not wait for a webhook:
// it is false while the objects are being checked, and the sweeper is woken afterwards.
func (s *Server) canRead(d *crd.CustomResourceDefinition) bool {
	kind := s.keeper.Catalog().Resource(d.Spec.Group, d.Spec.Names.Plural)
	if kind == nil || kind.BuiltIn || d.Spec.Conversion == nil || d.Spec.Conversion.Strategy != crd.ConversionWebhook {
		return true
	}
	s.reading.mu.Lock()
	defer s.reading.mu.Unlock()
	of := s.reading.byName[d.Name()]
	switch {
	case of == nil:
		of = &reading{}
		s.reading.byName[d.Name()] = of
	case of.readable:
		delete(s.reading.byName, d.Name())
		return true
	case of.running, time.Now().Before(of.next):
		return false
	}
	of.running = true
	s.background.Go(func() {
		refused := s.readAll(s.ctx, d, kind)
		if refused != nil && s.ctx.Err() == nil {
			failed := terminatingCondition(deletionFailed)
			failed.Message = "could not list instances: " + refused.Message
			s.terminating(s.ctx, d, failed)
		}
		s.reading.mu.Lock()
		of.running, of.readable = false, refused == nil
		of.pause = min(max(2*of.pause, sweepInterval), maxReadPause)
		of.next = time.Now().Add(of.pause)
		s.reading.mu.Unlock()
		s.wake()
	})
	return false
}

// readAll reads all objects of a kind in the storage version, as a deletion does. It refuses as a list would.
func (s *Server) readAll(ctx context.Context, d *crd.CustomResourceDefinition, kind *catalog.Kind) *field.Status {
	var version *resource.Version
	var stored string // its apiVersion
	for i := range d.Spec.Versions {
		if v := &d.Spec.Versions[i]; v.Storage {
			version, stored = kind.Compiled().Resource.Version(v.Name), d.Spec.Group+"/"+v.Name
		}
	}
	var broken unreadable
	for r := (storage.Range{Prefix: catalog.Prefix(d, ""), Limit: chunk, Bytes: chunkBytes}); ; {
		page, err := s.store.List(ctx, r)
		if err != nil {
			return failed(err)
		}
		for _, item := range page.Items {
			r.After = item.Key
			obj, err := catalog.Decode(item.Value, item.Revision)
			if err != nil || text(obj, "apiVersion") == stored { // no webhook is needed
				continue
			}
			result := version.Delete(ctx, obj, resource.DeleteOptions{Now: s.now()})
			if refused := result.Status(); refused != nil {
				broken.add(item.Key, refused)
			}
			if broken.enough() || broken.any() && ctx.Err() != nil {
				return broken.status(kind.Resource())
			}
		}
		switch {
		case page.Remaining > 0:
		case broken.any():
			return broken.status(kind.Resource())
		default:
			return nil
		}
	}
}
