package types

var (
	WellKnown = wellKnown
	Idents    = idents
	Named     = named
)
