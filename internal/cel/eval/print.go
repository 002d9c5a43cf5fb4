package eval

import (
	"fmt"
	"sort"
	"strconv"
	"time"

	"github.com/crdkit/crdkit/internal/cel/lib/clock"
	"github.com/crdkit/crdkit/internal/cel/lib/text"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// maxPlainText is the length at which the text of a list or a map in an error is cut off. Items can be shared so
// often that the whole text would not fit into memory.
const maxPlainText = 1 << 16

// plainText returns the text of a value in an error.
func plainText(v value) string { return string(appendPlain(nil, v)) }

func appendPlain(dst []byte, v value) []byte {
	if len(dst) > maxPlainText {
		return dst
	}
	switch v.kind {
	case kindNull:
		return append(dst, '0')
	case kindBool:
		return strconv.AppendBool(dst, v.isTrue())
	case kindInt:
		return strconv.AppendInt(dst, v.int(), 10)
	case kindUint:
		return strconv.AppendUint(dst, v.bits, 10)
	case kindDouble:
		return fmt.Append(dst, v.double())
	case kindError, kindString, kindType:
		return append(dst, v.str()...)
	case kindDuration:
		return append(dst, v.duration().String()...)
	case kindOptional:
		p := v.inner()
		if p == nil {
			return append(dst, "optional.none()"...)
		}
		return append(appendPlain(append(dst, "optional("...), *p), ')')
	case kindList:
		f := unbounded()
		dst = append(dst, '[')
		for i := 0; i < listLen(v) && len(dst) <= maxPlainText; i++ {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendPlain(dst, f.listAt(v, i))
		}
		return append(dst, ']')
	case kindMap:
		dst = append(dst, '{')
		for i, k := range v.ref.(*dict).keys {
			if len(dst) > maxPlainText {
				break
			}
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendPlain(append(appendPlain(dst, k), ": "...), v.ref.(*dict).vals[i])
		}
		return append(dst, '}')
	}
	switch x := v.ref.(type) {
	case *namedFormat:
		return append(dst, x.name...)
	case *amount:
		return fmt.Append(dst, x.Float())
	case version:
		return append(dst, x.String()...)
	}
	if jsonval.TooDeep(v.ref) {
		return append(dst, "..."...)
	}
	return fmt.Append(dst, v.ref)
}

// goTypeNames has the names of the Go types that a server has for values of a kind. Some error texts contain them.
var goTypeNames = [...]string{
	kindError: "*types.Err", kindNull: "types.Null", kindBool: "types.Bool", kindInt: "types.Int", kindUint: "types.Uint",
	kindDouble: "types.Double", kindString: "types.String", kindBytes: "types.Bytes", kindTimestamp: "types.Timestamp",
	kindDuration: "types.Duration", kindType: "*types.Type", kindList: "*types.baseList", kindMap: "*types.baseMap",
	kindRawList: "*common.unstructuredList", kindRawMap: "*common.unstructuredMap", kindOpaque: "*common.unknownPreserved",
	kindOptional: "*types.Optional", kindIP: "cel.IP", kindCIDR: "cel.CIDR", kindURL: "cel.URL", kindQuantity: "cel.Quantity",
	kindSemver: "cel.Semver", kindFormat: "cel.Format",
	kindComposition: "*lazy.MapValue", kindAuthorizer: "library.authorizerVal", kindPathCheck: "library.pathCheckVal",
	kindGroupCheck: "library.groupCheckVal", kindResourceCheck: "library.resourceCheckVal", kindDecision: "library.decisionVal",
}

// goTypeName returns the name of the Go type that a server has for v.
//
//go:noinline
func goTypeName(v value) string {
	switch {
	case v.kind == kindRawList && v.node.List == plan.ListSet:
		return "*common.unstructuredSetList"
	case v.kind == kindRawList && v.node.List == plan.ListMap:
		return "*common.unstructuredMapList"
	case v.kind == kindQuantity && v.ref.(*amount).computed:
		return "*cel.Quantity"
	}
	return goTypeNames[v.kind]
}

// format implements s.format(args) (CLI-003, CLI-004).
func (f *frame) format(s string, args value) value {
	n := listLen(args)
	f.layOut(args)
	size := len(s)
	for i := range n {
		item := f.listAt(args, i)
		size += item.length()
	}
	if size > text.MaxSize { // unless the clauses need less
		size = 0
	}
	f.makes(size)
	dst, err := text.ParseFormat(s).Append(make([]byte, 0, size), n, func(dst []byte, c text.Clause, arg int) ([]byte, error) {
		return f.appendArgument(dst, c, f.listAt(args, arg))
	})
	if err != nil {
		return failureOf(err)
	}
	return f.text(string(dst))
}

// appendArgument appends the text of v for a clause, and counts it.
func (f *frame) appendArgument(dst []byte, c text.Clause, v value) ([]byte, error) {
	before := len(dst)
	dst, err := f.appendClause(dst, c, v)
	if made := len(dst) - before; made > maxKept {
		f.makes(made)
	}
	return dst, err
}

func (f *frame) appendClause(dst []byte, c text.Clause, v value) ([]byte, error) {
	f.visits(4*v.length() + max(0, c.Precision)%(1<<16)*16)
	switch c.Verb {
	case 's':
		return f.appendText(dst, v)
	case 'f', 'e':
		x := v.double()
		if v.kind == kindString {
			word, ok := text.NumberWord(v.str())
			if !ok {
				break
			}
			x = word
		} else if v.kind != kindDouble {
			break
		}
		if c.Verb == 'f' {
			return text.AppendFixed(dst, x, c.Precision), nil
		}
		return text.AppendScientific(dst, x, c.Precision), nil
	case 'b':
		if v.kind == kindBool {
			return text.AppendBit(dst, v.isTrue()), nil
		}
		return appendInteger(dst, c, v)
	case 'x', 'X':
		switch v.kind {
		case kindString:
			return text.AppendHex(dst, v.str(), c.Verb), nil
		case kindBytes:
			return text.AppendHex(dst, v.ref.([]byte), c.Verb), nil
		}
		return appendInteger(dst, c, v)
	default: // d o
		return appendInteger(dst, c, v)
	}
	return dst, text.VerbError(c.Verb, v.typeName())
}

func appendInteger(dst []byte, c text.Clause, v value) ([]byte, error) {
	switch v.kind {
	case kindInt:
		return text.AppendInteger(dst, v.int(), c.Verb), nil
	case kindUint:
		return text.AppendInteger(dst, v.bits, c.Verb), nil
	}
	return dst, text.VerbError(c.Verb, v.typeName())
}

// appendText appends the text of a top-level value for %s.
func (f *frame) appendText(dst []byte, v value) ([]byte, error) {
	switch v.kind {
	case kindString:
		return append(dst, v.str()...), nil
	case kindDouble:
		return text.AppendDouble(dst, v.double()), nil
	case kindBytes:
		return text.AppendBytes(dst, v.ref.([]byte))
	case kindTimestamp:
		return clock.AppendTimestamp(dst, v.ref.(time.Time)), nil
	case kindDuration:
		return clock.AppendDuration(dst, v.duration()), nil
	case kindBool, kindInt, kindUint, kindNull, kindType, kindList, kindRawList, kindMap, kindRawMap:
		return f.appendElement(dst, v)
	}
	return dst, text.VerbError('s', v.typeName())
}

// appendElement appends the text of a value in a list or a map for %s.
func (f *frame) appendElement(dst []byte, v value) ([]byte, error) {
	f.poll()
	if err := text.Fits(dst); err != nil {
		return dst, err
	}
	switch v.kind {
	case kindString:
		f.visits(4 * v.length())
		return strconv.AppendQuote(dst, v.str()), nil
	case kindDouble:
		return text.AppendElementDouble(dst, v.double()), nil
	case kindBytes:
		return text.AppendElementBytes(dst, v.ref.([]byte))
	case kindTimestamp:
		return text.AppendElementTimestamp(dst, v.ref.(time.Time)), nil
	case kindDuration:
		return text.AppendElementDuration(dst, v.duration()), nil
	case kindBool:
		return strconv.AppendBool(dst, v.isTrue()), nil
	case kindInt:
		return strconv.AppendInt(dst, v.int(), 10), nil
	case kindUint:
		return strconv.AppendUint(dst, v.bits, 10), nil
	case kindNull:
		return append(dst, "null"...), nil
	case kindType:
		return append(dst, v.str()...), nil
	case kindList, kindRawList:
		return f.appendList(dst, v)
	case kindMap, kindRawMap:
		return f.appendMap(dst, v)
	}
	return dst, text.ElementError(v.typeName())
}

func (f *frame) appendList(dst []byte, v value) ([]byte, error) {
	f.layOut(v)
	dst = append(dst, '[')
	for i := range listLen(v) {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		var err error
		if dst, err = f.appendElement(dst, f.listAt(v, i)); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func (f *frame) appendMap(dst []byte, v value) ([]byte, error) {
	type entry struct{ key, val []byte }
	keys := f.keysOf(v)
	entries := make([]entry, len(keys))
	size := 0
	for i, k := range keys {
		if k.kind == kindNull && v.kind == kindRawMap { // a key without a schema: a server's map has a nil pointer there
			f.crash("runtime error: invalid memory address or nil pointer dereference")
		}
		switch k.kind {
		case kindString, kindBool, kindInt, kindUint:
		default:
			return dst, text.KeyError(k.typeName())
		}
		val, ok := f.find(v, k)
		if !ok {
			return dst, text.MissingKeyError(plainText(k))
		}
		var err error
		if entries[i].key, err = f.appendElement(nil, k); err != nil {
			return dst, err
		}
		if entries[i].val, err = f.appendElement(nil, val); err != nil {
			return dst, err
		}
		made := len(entries[i].key) + len(entries[i].val)
		f.visits(4 * made)
		if size += made; size > text.MaxSize {
			return dst, text.ErrTooLarge
		}
	}
	sort.SliceStable(entries, func(i, j int) bool { return string(entries[i].key) < string(entries[j].key) })
	dst = append(dst, '{')
	for i, e := range entries {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(append(dst, e.key...), ':'), e.val...)
	}
	return append(dst, '}'), nil
}
