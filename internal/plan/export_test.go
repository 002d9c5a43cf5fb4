package plan

// What a pair knows about whether its values are equal.
const (
	Unknown = unknown
	Yes     = yes
	No      = no
)

// Known returns what p knows.
func (p *Pair) Known() sameness { return p.equal }
