package plan

// Package schema shows its users a Structural and a Node that have no exported fields. It sets these functions when it is initialised, so
// that the other packages of this module get at what is in them.
var (
	// Root returns the root of a *schema.Structural, or nil for a nil one. The root's Has includes [ResourceRoot].
	Root func(structural any) *Node
	// Of returns what a schema.Node is a view of, or nil for its zero value.
	Of func(view any) *Node

	view func(n *Node) any
)

// SetHooks is for package schema. viewOf returns the schema.Node that is a view of n.
func SetHooks(root, of func(any) *Node, viewOf func(n *Node) any) { Root, Of, view = root, of, viewOf }

// View returns the view of n. V is schema.Node, which this package cannot import.
func View[V any](n *Node) V { return view(n).(V) }
