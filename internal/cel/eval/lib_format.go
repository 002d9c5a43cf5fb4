package eval

import "github.com/crdkit/crdkit/internal/cel/estimate"

// formats are the named formats of strings (CEN-033, CLI-060).
func formats() []*Function {
	functions := []*Function{
		fn("format.named", global("format-named", optionalOf(formatType), stringType).does(func(_ *frame, a []value) value {
			if f := lookupFormat(a[0].str()); f != nil {
				return some(formatValue(f))
			}
			return none
		})),
		fn("validate", method("format-validate", optionalOf(listOf(stringType)), formatType, stringType).does(
			func(f *frame, a []value) value {
				if faults := a[0].ref.(*namedFormat).validate(a[1].str()); len(faults) > 0 {
					return some(f.textList(faults))
				}
				return none
			})).costing(costs{
			static: func(c *estimate.Call) estimate.Result {
				return estimate.Costing(estimate.Scale(c.Size(&c.Args[0]).Cost(estimate.PerByte), 32))
			},
			charge: func(_ *frame, a []value, _ value) int64 {
				format, ok := a[0].ref.(*namedFormat)
				if !ok {
					return 1
				}
				return patternCost(a[1].size(false), int64(format.patternSize))
			},
		}),
	}
	for _, name := range formatNames() {
		v := formatValue(lookupFormat(name))
		functions = append(functions, fn("format."+name, global("format."+name, formatType).does(func(*frame, []value) value { return v })))
	}
	return functions
}

func formatValue(f *namedFormat) value { return value{kind: kindFormat, ref: f} }
