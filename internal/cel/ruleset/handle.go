package ruleset

// Package cel shows users less of their rules than the other packages of this module need. So its type embeds a handle in a field that is
// not exported, and the functions [Of] and [View] are the only way through.

// A Handle is what is in a cel.Rules.
type Handle struct{ of *Rules }

func (h *Handle) rules() *Rules { return h.of }

func (h *Handle) set(r *Rules) { h.of = r }

// Of returns what a *cel.Rules, which is not nil, is a view of.
func Of(view interface{ rules() *Rules }) *Rules { return view.rules() }

// View returns a view of r. V is cel.Rules, which this package cannot import.
func View[V any, P interface {
	*V
	set(r *Rules)
}](r *Rules) *V {
	view := new(V)
	P(view).set(r)
	return view
}
