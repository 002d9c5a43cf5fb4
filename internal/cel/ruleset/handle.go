package ruleset

// Package cel shows users less of their rules than the other packages of this module need. So its type embeds a handle
// in an unexported field, and only the functions [Of] and [View] give access to it.

// A Handle is the content of a cel.Rules.
type Handle struct{ of *Rules }

func (h *Handle) rules() *Rules { return h.of }

func (h *Handle) set(r *Rules) { h.of = r }

// Of returns the Rules in a *cel.Rules, which must not be nil.
func Of(view interface{ rules() *Rules }) *Rules { return view.rules() }

// View returns r as a V. V is cel.Rules, which this package cannot import.
func View[V any, P interface {
	*V
	set(r *Rules)
}](r *Rules) *V {
	view := new(V)
	P(view).set(r)
	return view
}
