package plan

// A plan is hidden from users of package schema, but other packages of this module need it. So the types of package
// schema embed the two handles of this file in an unexported field. The handles have no exported methods: the functions
// [Root], [Of] and [View] give access.

// A Tree is the plan within a schema.Structural.
type Tree struct{ top *Node }

// NewTree returns the tree with that root.
func NewTree(root *Node) Tree { return Tree{root} }

func (t *Tree) root() *Node { return t.top }

func (t *Tree) set(n *Node) { t.top = n }

// Root returns the root of a *schema.Structural, which must not be nil. The root is nil only for the zero value. The
// root's Has includes [ResourceRoot].
func Root(structural interface{ root() *Node }) *Node { return structural.root() }

// A Place is the node within a schema.Node.
type Place struct{ at *Node }

// NewPlace returns the place of n.
func NewPlace(n *Node) Place { return Place{n} }

func (p Place) node() *Node { return p.at }

func (p *Place) set(n *Node) { p.at = n }

// Of returns the node that a schema.Node is a view of, or nil for the zero value.
func Of(view interface{ node() *Node }) *Node { return view.node() }

// View returns the view of n, or the schema with that root. V is schema.Node or schema.Structural, which this package
// cannot import.
func View[V any, P interface {
	*V
	set(n *Node)
}](n *Node) (view V) {
	P(&view).set(n)
	return view
}
