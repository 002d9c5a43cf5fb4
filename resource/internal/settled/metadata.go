package settled

import (
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
)

// Meta describes the metadata of an object. Its strings share the bytes of the text.
type Meta struct {
	// Summary has the names, and the generation if it is positive.
	objectmeta.Summary
	ResourceVersion string
	// Plain says that the metadata is canonical, that its only other members are uid, creationTimestamp, labels and
	// annotations, and that everything except the names is valid. If it is false, the caller has to decode the metadata
	// to find out.
	Plain bool

	start, end int
}

// Meta describes the metadata of the text's object. It is valid until the Scan is released.
func (s *Scan) Meta() *Meta { return &s.meta }

// Metadata decodes the metadata of the text's object. The result is the caller's.
func (s *Scan) Metadata() map[string]any {
	m, _ := s.decode(s.meta.start, s.meta.end).(map[string]any)
	return m
}

// resourceFields records which type fields of a resource are valid: at the root those of [Root], in an embedded
// resource those of OME-020.
type resourceFields struct{ apiVersion, kind bool }

// resourceField checks the apiVersion, kind or metadata of a resource. i is the offset of its value, and p its declared
// property, or nil.
func (s *Scan) resourceField(n *plan.Node, p *plan.Prop, key string, i int, r *resourceFields) (end int) {
	if p == nil && n.Has&plan.NoOthers != 0 {
		return bad
	}
	root := n.Has&plan.ResourceRoot != 0
	switch {
	case key == "metadata" && root:
		if end = s.rootMetadata(i); end != bad && n.Has&plan.HasEmbedded != 0 && s.embeddedMetadata(i) == bad {
			return bad
		}
	case key == "metadata":
		end = s.embeddedMetadata(i)
	default:
		end = s.typeField(key, i, root, r)
	}
	switch {
	case end == bad:
	case p == nil:
		if n.Additional != nil && s.value(n.Additional, i, stored) == bad {
			return bad
		}
	case p.Node.Below&(plan.HasDefault|plan.HasEmbedded) != 0 &&
		(p.Node.Has&plan.HasEmbedded != 0 || len(p.Node.Props) > 0 || p.Node.Additional != nil):
		return bad
	case key == "metadata":
		generated := root && s.meta.Name == "" // a server checks the schema with a generated name
		if !p.Node.AnyObject() && (generated || s.value(p.Node, i, 0) == bad) {
			return bad
		}
	case p.Node.Plain&plan.KindString == 0 && s.value(p.Node, i, 0) == bad:
		return bad
	}
	return end
}

// typeField checks an apiVersion or a kind.
func (s *Scan) typeField(key string, i int, root bool, r *resourceFields) int {
	if s.at(i) != '"' {
		return bad
	}
	end, escaped := s.quoted(i)
	if end == bad || escaped {
		return bad
	}
	text := s.view(i+1, end)
	valid := !root && objectmeta.ValidTypeField(key, text)
	if key == "kind" {
		r.kind = valid || root && text == s.root.Kind
	} else {
		r.apiVersion = valid || root && text == s.root.APIVersion
	}
	return end + 1
}

// embeddedMetadata checks the metadata of an embedded resource.
func (s *Scan) embeddedMetadata(i int) int {
	end := s.plain(i)
	if end == bad || s.at(i) != '{' || !objectmeta.ValidEmbeddedMetadata(s.decode(i, end)) {
		return bad
	}
	return end
}

// rootMetadata checks the metadata of the whole object, as far as that is possible without decoding.
func (s *Scan) rootMetadata(i int) int {
	if s.at(i) != '{' {
		return bad
	}
	m := &s.meta
	m.start, m.Plain = i, true
	keys := keyList{from: len(s.others)}
	i, more := s.enter(i, '}')
	for more {
		from := i + 1
		end, escaped, value := s.key(i)
		if value == bad || escaped {
			return bad
		}
		s.addKey(&keys, from, end)
		key := s.view(from, end)
		i = value
		switch key {
		case "name":
			m.Name, i = s.metaText(i)
		case "generateName":
			m.GenerateName, i = s.metaText(i)
		case "namespace":
			m.Namespace, i = s.metaText(i)
		case "uid":
			_, i = s.metaText(i)
		case "resourceVersion":
			m.ResourceVersion, i = s.metaText(i)
		case "creationTimestamp":
			var text string
			if text, i = s.metaText(i); i != bad && !objectmeta.CanonicalTime(text) {
				return bad
			}
		case "labels":
			i = s.texts(i, true)
		case "annotations":
			i = s.texts(i, false)
		case "generation":
			if m.Generation, i = s.generation(i); m.Generation == 0 {
				m.Plain = false
			}
		default:
			m.Plain = false
			i = s.plain(i)
		}
		i, more = s.next(i, '}')
	}
	if i == bad || !s.endKeys(&keys) {
		return bad
	}
	m.end = i
	return i
}

// generation reads a generation, a whole number or null, which a create ignores. It returns 0 unless the number is
// positive and in its stored form.
func (s *Scan) generation(i int) (n int64, end int) {
	if s.at(i) == 'n' {
		return 0, s.literal(i, "null")
	}
	x, end := s.number(i)
	if end == bad || !x.whole && !x.changes {
		return 0, bad
	}
	return max(x.i, 0), end
}

// metaText reads a string of metadata. An empty one is bad, because a server drops it.
func (s *Scan) metaText(i int) (text string, end int) {
	if s.at(i) != '"' {
		return "", bad
	}
	last, escaped := s.quoted(i)
	if last == bad || last == i+1 {
		return "", bad
	}
	return s.own(i, last, escaped), last + 1
}

// texts checks labels or annotations, which are strings.
func (s *Scan) texts(i int, labels bool) int {
	if s.at(i) != '{' {
		return bad
	}
	i, more := s.enter(i, '}')
	if !more {
		return bad // a server drops an empty map
	}
	keys, size := keyList{from: len(s.others)}, 0
	for more {
		from := i + 1
		end, escaped, value := s.key(i)
		if value == bad || escaped || s.at(value) != '"' {
			return bad
		}
		key := s.view(from, end)
		s.addKey(&keys, from, end)
		size += end - from
		if end, escaped = s.quoted(value); end == bad {
			return bad
		}
		if labels {
			if !objectmeta.ValidLabel(key, s.text(value, end, escaped)) {
				return bad
			}
		} else if !objectmeta.ValidAnnotation(key) {
			return bad
		}
		size += end - value - 1 // an upper bound: escapes are longer than what they stand for
		i, more = s.next(end+1, '}')
	}
	if i == bad || !labels && size > objectmeta.MaxAnnotations || !s.endKeys(&keys) {
		return bad
	}
	return i
}
