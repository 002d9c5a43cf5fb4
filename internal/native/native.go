package native

// A Kind is a kind of objects that a server does not know from a definition. Its list maps and sets may have duplicate
// keys, and a write to its status also changes metadata. It is immutable, and its functions are safe for concurrent use.
type Kind struct {
	// Complete returns a decoded object in the form that a server's decoder gives it, with its defaults. It does not
	// modify obj. It reports false if it would add more than that number of values.
	Complete func(obj map[string]any, values int) (out map[string]any, ok bool)
	// StatusKeeps are the members of metadata that a write to the status does not change.
	StatusKeeps []string
	// CreatesStatus says that a create may set the status.
	CreatesStatus bool
}

// StatusMetadata returns the metadata of an object after a write to its status: meta, as it was sent, with the kept
// members of old. It does not modify either.
func (k *Kind) StatusMetadata(meta, old map[string]any) map[string]any {
	if len(k.StatusKeeps) == 0 {
		return meta
	}
	out := make(map[string]any, len(meta))
	for name, v := range meta {
		out[name] = v
	}
	for _, name := range k.StatusKeeps {
		if v, has := old[name]; has {
			out[name] = v
		} else {
			delete(out, name)
		}
	}
	return out
}
