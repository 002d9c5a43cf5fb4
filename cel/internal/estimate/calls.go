package estimate

import (
	"strings"

	"github.com/crdkit/crdkit/internal/since"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// An operand is the target or an argument of a call.
type operand struct {
	expr ast.Expr
	typ  *types.Type
	cost uint64
	path
	size  span
	sized bool
}

// sizeOr returns the operand's size, or unknown.
func (o *operand) sizeOr() span {
	if o.sized {
		return o.size
	}
	return unknown
}

// integer returns the integer that the operand is written as; a negative one is 0.
func (o *operand) integer() (uint64, bool) {
	if o.expr.Kind() != ast.LiteralKind {
		return 0, false
	}
	i, ok := o.expr.AsLiteral().(types.Int)
	return uint64(max(i, 0)), ok
}

// applied is a function with what it is called on.
type applied struct {
	*walker
	function string
	expr     ast.Expr
	target   *operand // nil: none
	args     []operand
}

// A price is what a call costs, and the size of its result, if that is known by the function.
type price struct {
	cost  uint64
	size  span
	sized bool
	known bool // that there is a price
}

// costing returns the price of a call whose result's size is not known by its function.
func costing(cost uint64) price { return price{cost: cost, known: true} }

// giving returns the price of a call with a result of that size.
func giving(size span, cost uint64) price {
	return price{cost: cost, size: size, sized: true, known: true}
}

// Costs of a call to what cel-go calls an extension, and of a list that such a call makes.
const (
	callCost    = 1
	newListCost = callCost + listCost
)

// price returns what the call costs with its arguments if the given overload is the one that is called.
func (c *applied) price(overload string) price {
	// Of the operators that know what they need not evaluate, the arguments do not simply add up.
	switch overload {
	case overloads.LogicalAnd, overloads.LogicalOr:
		return costing(plus(c.args[0].cost, c.args[1].cost))
	case overloads.Conditional:
		return c.conditional()
	}
	p := c.byExtension(overload)
	if !p.known {
		p = c.byName(overload)
	}
	if !p.known {
		p = c.byOverload(overload)
	}
	if !p.known {
		p = costing(callCost)
	}
	for i := range c.args {
		p.cost = plus(p.cost, c.args[i].cost)
	}
	return p
}

func (c *applied) conditional() price {
	yes, no := &c.args[1], &c.args[2]
	size := yes.sizeOr().union(no.sizeOr())
	c.setEntries(c.expr, c.entriesOf(yes.expr).union(c.entriesOf(no.expr)))
	return giving(size, plus(c.args[0].cost, max(yes.cost, no.cost)))
}

// again returns the size of o, which is looked up by its path as it has become, if it was unknown before.
//
// Clauses: CES-023.
func (c *applied) again(o *operand) span {
	if o.sized {
		return o.size
	}
	return c.at(o.path)
}

// at returns the size of what is at p, or unknown.
func (c *applied) at(p path) span {
	if s, ok := p.size(c.walker); ok {
		return s
	}
	return unknown
}

// byExtension returns the price of the functions on sets and lists that cel-go brings, if it is one of them.
//
// Clauses: CES-050.
func (c *applied) byExtension(overload string) price {
	switch overload {
	case "list_sets_contains_list", "list_sets_intersects_list":
		return costing(plus(c.product().cost(1), callCost))
	case "list_sets_equivalent_list":
		return costing(plus(c.product().cost(2), callCost))
	case "list_slice":
		from, _ := c.args[0].integer()
		to, ok := c.args[1].integer()
		if !ok {
			to = c.again(c.target).hi
		}
		return newList(exactly(to-from), 1) // which wraps around where the end is before the start
	case "lists_range":
		n, ok := c.args[0].integer()
		if !ok {
			n = most
		}
		return newList(exactly(n), 1)
	case "list_reverse", "list_flatten":
		return newList(c.again(c.target), 1)
	case "list_flatten_int":
		depth, ok := c.args[0].integer()
		if !ok {
			depth = most
		}
		return newList(c.again(c.target), float64(depth))
	case "list_distinct":
		return compared(c.again(c.target), overload)
	}
	switch {
	case strings.HasPrefix(overload, "list_") && strings.HasSuffix(overload, "_sort"):
		return compared(c.again(c.target), overload)
	case strings.HasPrefix(overload, "list_") && strings.HasSuffix(overload, "_sortByAssociatedKeys"):
		return compared(c.again(&c.args[0]), overload)
	}
	return price{}
}

// product returns the size of the first argument times that of the second.
func (c *applied) product() span { return c.again(&c.args[0]).times(c.again(&c.args[1])) }

// newList returns the price of a call that makes a list of that size, with so much work for each item.
func newList(size span, each float64) price {
	return giving(size, plus(size.cost(each), newListCost))
}

// compared returns the price of a call that compares all items of a list with each other and makes a new list.
func compared(size span, overload string) price {
	each := 2.0
	if strings.HasPrefix(overload, "list_string_") || strings.HasPrefix(overload, "list_bytes_") {
		each += perByte
	}
	return newList(size.times(size), each)
}

// byName returns the price of a function that is known by its name, whatever it is called on, if there is one. These are the functions of
// Kubernetes and those of strings.
//
// Clauses: CES-050, CES-052, CES-054.
func (c *applied) byName(overload string) price {
	if c.target != nil {
		if p := c.member(); p.known {
			return p
		}
	}
	switch c.function {
	case "check":
		return costing(350000)
	case "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error", "errored",
		"masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast",
		"format.named",
		"sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub",
		"major", "minor", "patch",
		"getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery":
		return costing(1)
	}
	if len(c.args) == 0 {
		if overload == "cidr_ip" {
			return costing(1)
		}
		return price{}
	}
	a := &c.args[0]
	switch c.function {
	case "quantity", "isQuantity":
		if !since.QuantityCost.In(c.minor) {
			return price{}
		}
	}
	switch c.function {
	case "fieldSelector", "labelSelector":
		// Parsing, then comparing with as many requirements as the text has room for.
		s := c.again(a)
		return costing(plus(s.cost(perByte), plus(times(s.cost(0.5), 50), 10)))
	case "url":
		s := c.again(a)
		if !since.OpaqueEquality.In(c.minor) {
			return costing(s.cost(perByte))
		}
		return giving(s, s.cost(perByte))
	case "isIP", "cidr", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver":
		return costing(c.again(a).cost(perByte))
	case "ip.isCanonical":
		return costing(c.again(a).cost(2 * perByte))
	case "containsIP":
		return costing(plus(4, c.parsing(a, overload == "cidr_contains_ip_string")))
	case "containsCIDR":
		return costing(plus(7, c.parsing(a, overload == "cidr_contains_cidr_string")))
	case "validate":
		return costing(scale(c.again(a).cost(perByte), 32))
	case "_==_":
		return c.equality()
	}
	return price{}
}

func (c *applied) parsing(o *operand, needed bool) uint64 {
	if !needed {
		return 0
	}
	return c.again(o).cost(perByte)
}

// member returns the price of a function on a string or a list, if there is one.
func (c *applied) member() price {
	t := c.target
	switch c.function {
	case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes":
		switch {
		case len(t.typ.Parameters()) > 0:
			return costing(times(c.again(t).hi, plus(1, c.comparingItems(t))))
		case c.function == "includes":
			return costing(c.again(t).hi)
		}
		return costing(c.again(t).cost(perByte))
	case "lowerAscii", "upperAscii", "substring", "trim":
		s := c.again(t)
		return giving(s, s.cost(perByte))
	case "split":
		s := c.again(t)
		parts := s.hi
		if len(c.args) > 1 && c.args[1].expr.Kind() == ast.LiteralKind {
			if i, ok := c.args[1].expr.AsLiteral().(types.Int); ok {
				parts = uint64(i) // -1 is no limit
			}
		}
		return giving(upTo(parts), s.cost(2*perByte))
	case "join":
		return c.join()
	}
	switch {
	case c.function == "replace" && len(c.args) >= 2:
		s := c.again(t)
		return giving(replaced(s, c.again(&c.args[0]), c.again(&c.args[1])), s.cost(2*perByte))
	case (c.function == "find" || c.function == "findAll") && len(c.args) >= 1:
		s := c.again(t)
		return giving(upTo(s.hi), matching(s, c.again(&c.args[0])))
	}
	return price{}
}

// comparingItems returns what comparing two items of o adds to the cost of any comparison.
//
// Clauses: CES-054.
func (c *applied) comparingItems(o *operand) uint64 {
	switch o.typ.Parameters()[0].Kind() {
	case types.StringKind, types.BytesKind:
		return c.at(o.path.items()).cost(perByte)
	}
	return 0
}

func (c *applied) join() price {
	var size span
	n := c.again(c.target)
	if len(c.target.typ.Parameters()) > 0 {
		size = n.times(c.at(c.target.path.items()))
	}
	if len(c.args) > 0 {
		size = size.plus(c.again(&c.args[0]).times(n.lessOne()))
	}
	return giving(size, size.cost(perByte))
}

// matching returns the cost of matching a subject with a pattern. An empty subject costs as one byte.
func matching(subject, pattern span) uint64 {
	return times(subject.plus(exactly(1)).cost(perByte), pattern.cost(perPattern))
}

// replaced returns the size of a string of size s in which each old is replaced.
//
// Clauses: CES-052.
func replaced(s, old, with span) span {
	return span{
		lo: replacing(s.lo, old.hi, with.lo, old.hi <= with.lo),
		hi: replacing(s.hi, old.lo, with.hi, with.hi <= old.lo),
	}
}

// replacing returns one end of what replaced returns; kept says that the string does not get further in that direction than it is.
func replacing(s, old, with uint64, kept bool) uint64 {
	switch {
	case old == 0:
		return plus(times(plus(s, 1), with), s) // around each byte
	case kept:
		return s
	}
	return times(quotient(s, old), with)
}

// equality returns the price of == for two values of the same type of Kubernetes, if there is one.
func (c *applied) equality() price {
	if len(c.args) != 2 || !since.OpaqueEquality.In(c.minor) {
		return price{}
	}
	t, b := c.args[0].typ, &c.args[1]
	if t.TypeName() != b.typ.TypeName() {
		return price{}
	}
	switch t.Kind() {
	case types.OpaqueKind:
		switch t.TypeName() {
		case "net.IP", "net.CIDR":
			return costing(1)
		}
	case types.StructKind:
		switch t.TypeName() {
		case "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.authorization.Authorizer", "kubernetes.authorization.PathCheck",
			"kubernetes.authorization.GroupCheck", "kubernetes.authorization.ResourceCheck", "kubernetes.authorization.Decision":
			return costing(1)
		case "kubernetes.NamedFormat":
			return costing(7)
		case "kubernetes.URL":
			if !b.sized {
				return costing(1)
			}
			return costing(b.size.cost(perByte))
		}
	}
	return price{}
}

// byOverload returns the price of an overload of CEL's own functions that does not cost 1, if there is one.
//
// Clauses: CES-051.
func (c *applied) byOverload(overload string) price {
	n := len(c.args)
	switch overload {
	case overloads.ExtFormatString:
		if c.target != nil {
			return costing(c.target.sizeOr().cost(perByte))
		}
	case overloads.StringToBytes:
		s := c.args[0].sizeOr()
		return giving(span{s.lo, s.hi * 4}, s.cost(perByte))
	case overloads.BytesToString:
		s := c.args[0].sizeOr()
		return giving(span{s.lo / 4, s.hi}, s.cost(perByte))
	case overloads.ExtQuoteString:
		s := c.args[0].sizeOr()
		return giving(span{s.lo + 2, s.hi*2 + 2}, s.cost(perByte))
	case overloads.StartsWithString, overloads.EndsWithString:
		if n == 1 {
			return costing(c.args[0].sizeOr().cost(perByte))
		}
	case overloads.ContainsString:
		if c.target != nil && n == 1 {
			return costing(times(c.target.sizeOr().cost(perByte), c.args[0].sizeOr().cost(perByte)))
		}
	case overloads.Matches:
		if c.target == nil && n == 2 {
			return costing(matching(c.args[0].sizeOr(), c.args[1].sizeOr()))
		}
	case overloads.MatchesString:
		if c.target != nil && n == 1 {
			return costing(matching(c.target.sizeOr(), c.args[0].sizeOr()))
		}
	case overloads.InList:
		return costing(c.args[1].sizeOr().cost(1))
	case overloads.AddString, overloads.AddBytes, overloads.AddList:
		a, b := &c.args[0], &c.args[1]
		size := a.sizeOr().plus(b.sizeOr())
		c.setEntries(c.expr, c.entriesOf(a.expr).union(c.entriesOf(b.expr)))
		if overload == overloads.AddList {
			return giving(size, callCost)
		}
		return giving(size, size.cost(perByte))
	case overloads.LessString, overloads.LessEqualsString, overloads.GreaterString, overloads.GreaterEqualsString,
		overloads.LessBytes, overloads.LessEqualsBytes, overloads.GreaterBytes, overloads.GreaterEqualsBytes,
		overloads.Equals, overloads.NotEquals:
		return costing(scale(min(c.args[0].sizeOr().hi, c.args[1].sizeOr().hi), perByte))
	}
	return price{}
}
