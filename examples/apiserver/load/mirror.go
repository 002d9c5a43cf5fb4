package main

import (
	"errors"
	"fmt"
)

// A mirror is the state according to the events of a watch.
type mirror struct {
	objects map[string]counter
	version int64 // of the latest event
	events  int
	faults  []error
}

func newMirror(items []counter, version int64) *mirror {
	m := &mirror{objects: map[string]counter{}, version: version}
	for _, item := range items {
		m.objects[item.Metadata.Name] = item
	}
	return m
}

// apply applies an event, and returns an error if it cannot be the next one.
func (m *mirror) apply(e event) {
	name, version := e.Object.Metadata.Name, e.Object.version()
	if e.Type == "BOOKMARK" {
		if version < m.version {
			m.fault("a bookmark at %d after %d", version, m.version)
		}
		m.version = version
		return
	}
	if version <= m.version {
		m.fault("%s %s at %d after %d: twice, or out of order", e.Type, name, version, m.version)
	}
	m.version = version
	m.events++
	before, has := m.objects[name]
	switch {
	case e.Type == "ADDED" && has, e.Type == "MODIFIED" && !has, e.Type == "DELETED" && !has:
		m.fault("%s %s at %d, which cannot be: an event before it is missing", e.Type, name, version)
	case e.Type == "MODIFIED" && e.Object.Spec.Count != before.Spec.Count+1:
		m.fault("%s counts %d after %d", name, e.Object.Spec.Count, before.Spec.Count)
	case e.Type != "ADDED" && e.Type != "MODIFIED" && e.Type != "DELETED":
		m.fault("event %s", e.Type)
	}
	if e.Type == "DELETED" {
		delete(m.objects, name)
	} else {
		m.objects[name] = e.Object
	}
}

func (m *mirror) fault(format string, args ...any) {
	if len(m.faults) < 10 {
		m.faults = append(m.faults, fmt.Errorf(format, args...))
	}
}

// compare returns an error if the mirror differs from a list.
func (m *mirror) compare(items []counter) error {
	if len(items) != len(m.objects) {
		m.fault("%d objects, but the watch knows of %d", len(items), len(m.objects))
	}
	for _, item := range items {
		if m.objects[item.Metadata.Name] != item {
			m.fault("%s is %v, but for the watch %v", item.Metadata.Name, item, m.objects[item.Metadata.Name])
		}
	}
	return errors.Join(m.faults...)
}
