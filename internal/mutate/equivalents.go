package main

// equivalents are mutations that no caller can notice, by key, with the reason. An entry whose code no longer exists
// does no harm.
var equivalents = map[string]string{
	"internal/cel/estimate/estimate.go Estimator.Cost: drop `, free: w.free`":                                         "the next estimate allocates what it would have used again",
	"crd/plain.go planReader.spec: drop `case key == \"names\": return r.below(r.value)`":                             "the names are read into a new map, not into one that is used again",
	"internal/report/report.go probeDepth: number `64` in `const probeDepth = 64` -> `65`":                            "how far the walk looks ahead changes its speed alone",
	"internal/verdict/object.go acceptsResourceField: negate `p.Name != \"metadata\"`":                                "fields are looked at that could be skipped",
	"validate/listtype.go identity: drop `int64,` in `case nil, bool, int64, float64, string`":                        "the JSON of an integer identifies it as well, and takes longer",
	"internal/cel/check/calls.go inference.optionalField: result `in.fail()` in `return in.fail()` -> `nil`":          "the parser only makes a literal text of what follows .?",
	"internal/jsonscan/scanner.go hash: operator `*` in `uint32(text[n-1]) * 0xC2B2AE35` -> `/`":                      "a worse hash finds fewer texts again",
	"internal/jsonscan/text.go Scanner.known: operator `*` in `eight(start) * 0x9E3779B97F4A7C15` -> `/`":             "a worse hash finds fewer texts again",
	"schema/compile.go compile: drop `, slots: make([]uint16, found.slots),` -> `,`":                                  "take allocates what is not there",
	"server/internal/catalog/kinds.go readBuiltInKinds: delete `panic(err)`":                                          "the table is part of the program, and a test reads it",
	"internal/cel/eval/eval.go frame.keep: delete `f.lists = make([]list, 0, max(4, min(2*cap(f.lists), maxKept)))`":  "append makes room too, and copies lists that nobody reads any more",
	"internal/errlist/errlist.go Within: operator `<` in `most.Errors < 0` -> `<=`":                                   "a limit of 0 is the default by then",
	"server/protobuf.go protobufEnvelope: number `0` in `obj, err := d.object(envelope.last(2).bytes, of, 0)` -> `1`": "the limit of nested messages is met one level earlier",
	"server/internal/catalog/keeper.go Keeper.publish: swap `kinds, kindsOf(s.definition, func() *Compiled { return s.compiled }, f...` in `append(kinds, kindsOf(s.definition, func() *Compiled { return s.compil...` -> `kindsOf(s.definition, func() *Compiled { return s.compiled }, false), ...`": "the order of kinds in a catalog, which is a map, does not matter",
	"server/garbage.go collector.change: result `err == nil` in `return err == nil` -> `false`":                                                               "the object is looked at once more, and nothing is left to do",
	"server/deleteoptions.go request.deletion: result `d` in `return d, refused` -> `deletion{}`":                                                             "nothing has been set by then",
	"server/sweep.go Server.namespacePrefixes: operator `&&` in `k.BuiltIn && k.Namespaced` -> `||`":                                                          "prefixes are read that no key has, or twice",
	"server/sweep.go Server.any: number `1` in `page, err := s.store.List(ctx, storage.Range{Prefix: prefix, Limit: 1}...` -> `2`":                            "a page of two items says as well whether there is one",
	"server/strategic.go merger.object: swap `e, g` in `equalJSON(e, g)` -> `g, e`":                                                                           "equality does not depend on the order",
	"compat/walk.go sameFields: swap `a.Props, b.Props` in `slices.EqualFunc(a.Props, b.Props, func(p, q plan.Prop) bool { return ...` -> `b.Props, a.Props`": "the sides have the same fields in either order",
	"audit/objects.go stream.resync: operator `<` in `begin < 0` -> `<=`":                                                                                     "the first byte that is kept is a bracket only if 255 blanks follow it",
	"internal/settled/ruled.go builder.release: operator `>` in `cap(b.stack) > mostItems` -> `>=`":                                                           "a buffer of exactly the largest size is made again",
	"internal/settled/ruled.go builder.release: operator `>` in `cap(b.slab) > mostItems` -> `>=`":                                                            "a buffer of exactly the largest size is made again",
	"internal/settled/unique.go Scan.manyDistinct: number `2` in `slots := 1 << bits.Len(uint(2*count-1))` -> `3`":                                            "a larger table finds the same items",
	"internal/settled/ruled.go builder.list: number `64` in `b.slab = make([]any, 0, max(2*cap(b.slab), len(items), 64))` -> `65`":                            "a first buffer of one more item",
	"resource/settled.go hasRule: number `0` in `if n == nil || n.Below&plan.HasRules == 0 {` -> `1`":                                                         "nodes are looked at that could be skipped",
	"internal/cel/semver/valid.go isPatch: operator `<` in `i < 0` -> `<=`":                                                                                   "what begins with - or + is no number as a whole either",
}
