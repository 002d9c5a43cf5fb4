package plan

// SetProps sets the declared properties of n, which are sorted by name, and what is derived from them: their index,
// which uses slots, [IndexSize] of them, and the bits and names of those that are required or have a default.
// n.Required must be set.
func (n *Node) SetProps(props []Prop, slots []uint16) {
	n.Props = props
	if len(props) > 0 {
		n.index = newPropIndex(props, slots)
	}
	bit := uint64(1)
	mask := func(q *Prop) uint64 {
		if q != nil && q.Mask == 0 {
			q.Mask = bit
			bit <<= 1
		}
		if q == nil {
			return 0
		}
		return q.Mask
	}
	for _, name := range n.Required {
		if m := mask(n.Prop(name)); m != 0 {
			n.RequiredMask |= m
		} else {
			n.RequiredRest = append(n.RequiredRest, name)
		}
	}
	for i := range n.Props {
		if q := &n.Props[i]; q.Node.Default != nil {
			n.Defaulted = append(n.Defaulted, i)
			if m := mask(q); m != 0 {
				n.DefaultMask |= m
			} else {
				n.DefaultRest = append(n.DefaultRest, q.Name)
			}
		}
	}
}

// Summarize sets the fields that are derived from the rest of the node: Plain and Below.
func (n *Node) Summarize(inCombinator bool) {
	n.summarizePlain()
	if inCombinator {
		return
	}
	n.Below = n.Has
	for i := range n.Props {
		n.Below |= n.Props[i].Node.Below
	}
	if n.Items != nil {
		n.Below |= n.Items.Below
	}
	if n.Additional != nil {
		n.Below |= n.Additional.Below
	}
}

func (n *Node) summarizePlain() {
	n.Plain = n.Accept &^ (KindArray | KindObject)
	if n.Enum != nil {
		n.Plain = 0
	}
	if n.Combine != nil {
		n.Plain &= KindNull
	}
	if n.String != nil {
		n.Plain &^= KindString
	}
	if c := n.Number; c != nil {
		n.Plain &^= KindWhole | KindFloat
		if c.Ranged == RangeInt32 || c.Minimum != nil || c.Maximum != nil || c.MultipleOf != nil {
			n.Plain &^= KindInt
		}
	}
}
