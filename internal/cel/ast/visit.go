package ast

// Visit calls visit for e and all nodes below it, each before those that it consists of.
func Visit(e *Expr, visit func(e *Expr)) {
	visit(e)
	switch parts := e.parts.(type) {
	case *CallExpr:
		if parts.target != nil {
			Visit(parts.target, visit)
		}
		visitAll(visit, parts.args...)
	case *ComprehensionExpr:
		visitAll(visit, parts.iterRange, parts.accuInit, parts.loopCondition, parts.loopStep, parts.result)
	case *ListExpr:
		visitAll(visit, parts.elements...)
	case *MapExpr:
		for _, entry := range parts.entries {
			visitAll(visit, entry.key, entry.value)
		}
	case *SelectExpr:
		Visit(parts.operand, visit)
	case *StructExpr:
		for _, field := range parts.fields {
			Visit(field.value, visit)
		}
	}
}

func visitAll(visit func(e *Expr), all ...*Expr) {
	for _, e := range all {
		Visit(e, visit)
	}
}

// QualifiedName returns the name that e may be: a name, or several with dots between them, such as a.b.c. It returns
// false for anything else.
func QualifiedName(e *Expr) (string, bool) {
	switch e.Kind() {
	case IdentKind:
		return e.AsIdent(), true
	case SelectKind:
		s := e.AsSelect()
		if name, ok := QualifiedName(s.operand); ok && !s.testOnly {
			return name + "." + s.field, true
		}
	}
	return "", false
}
