package eval

import (
	"time"

	"github.com/crdkit/crdkit/internal/cel/ast"
	"github.com/crdkit/crdkit/internal/since"
)

// optionals are the functions and operators of optional values in version 2 (CEN-020, CEN-025).
func optionals() []*Function {
	var (
		optional = optionalOf(typeV)
		values   = listOf(typeV)
		entries  = mapOf(typeK, typeV)
	)
	return []*Function{
		fn("optional.of", global("optional_of", optional, typeV).does(func(_ *frame, a []value) value { return some(a[0]) })),
		fn("optional.ofNonZeroValue", global("optional_ofNonZeroValue", optional, typeV).does(func(_ *frame, a []value) value {
			if isZero(a[0]) {
				return none
			}
			return some(a[0])
		})),
		fn("optional.none", global("optional_none", optional).does(func(*frame, []value) value { return none })),
		fn("value", method("optional_value", typeV, optional).does(func(_ *frame, a []value) value {
			if p := a[0].inner(); p != nil {
				return *p
			}
			return failure("optional.none() dereference")
		})),
		fn("hasValue", method("optional_hasValue", boolType, optional).does(func(_ *frame, a []value) value {
			return boolean(a[0].inner() != nil)
		})),
		fn("or", method("optional_or_optional", optional, optional, optional)).
			planned(func(p *planner, _ *ast.Expr, args []*ast.Expr) *part { return p.planOr(args[0], args[1], false) }),
		fn("orValue", method("optional_orValue_value", typeV, optional, typeV)).
			planned(func(p *planner, _ *ast.Expr, args []*ast.Expr) *part { return p.planOr(args[0], args[1], true) }),
		fn(opOptSelect, global("select_optional_field", optional, dynType, stringType)).planned(planQualified),
		fn(opOptIndex,
			global("list_optindex_optional_int", optional, values, intType),
			global("optional_list_optindex_optional_int", optional, optionalOf(values), intType),
			global("map_optindex_optional_value", optional, entries, typeK),
			global("optional_map_optindex_optional_value", optional, optionalOf(entries), typeK)).planned(planQualified),
		fn(opIndex,
			global("optional_list_index_int", optional, optionalOf(values), intType),
			global("optional_map_index_value", optional, optionalOf(entries), typeK)).planned(planQualified),
		fn("last", method("list_last", optional, values).from(since.OptionalLists).does(func(f *frame, a []value) value {
			if n := listLen(a[0]); n > 0 {
				return some(f.listAt(a[0], n-1))
			}
			return none
		})),
		fn("first", method("list_first", optional, values).from(since.OptionalLists).does(func(f *frame, a []value) value {
			if listLen(a[0]) == 0 {
				return none
			}
			return some(f.listAt(a[0], 0))
		})),
		fn("optional.unwrap", global("optional_unwrap", values, listOf(optional)).from(since.OptionalLists).does(unwrap)),
		fn("unwrapOpt", method("optional_unwrapOpt", values, listOf(optional)).from(since.OptionalLists).does(unwrap)),
	}
}

// planOr plans t.or(x) and t.orValue(x), which evaluate x only if t has no value (CRC-031).
func (p *planner) planOr(target, arg *ast.Expr, unwraps bool) *part {
	t, x := p.plan(target).run, p.plan(arg).run
	return &part{run: func(f *frame) value {
		v := t(f)
		if v.kind != kindOptional {
			return v.or(noSuchOverload)
		}
		if inner := v.inner(); inner != nil {
			if unwraps {
				return *inner
			}
			return v
		}
		return x(f)
	}}
}

func unwrap(f *frame, a []value) value {
	f.makes(itemBytes * listLen(a[0]))
	vals := make([]value, 0, listLen(a[0]))
	for _, v := range f.each(a[0]) {
		if v.kind != kindOptional {
			return v.or(failure("value " + plainText(v) + " is not optional"))
		}
		if p := v.inner(); p != nil {
			vals = append(vals, *p)
		}
	}
	return newList(vals)
}

// isZero reports whether a value is treated as the zero value of its type (CLI-073).
func isZero(v value) bool {
	switch v.kind {
	case kindNull:
		return true
	case kindBool, kindInt, kindUint, kindDuration:
		return v.bits == 0
	case kindDouble:
		return v.double() == 0
	case kindString:
		return v.str() == ""
	case kindBytes:
		return len(v.ref.([]byte)) == 0
	case kindTimestamp:
		return v.ref.(time.Time).IsZero()
	case kindList:
		return listLen(v) == 0
	case kindMap:
		return mapLen(v) == 0
	}
	return false
}
