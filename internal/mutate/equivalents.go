package main

// equivalents are mutations that no caller can notice, by their names, and why. An entry stays harmless when its code has gone.
var equivalents = map[string]string{
	"cel/internal/estimate/estimate.go Estimator.Cost: drop `, room: w.room`":                  "the next estimate allocates what it would have used again",
	"crd/plain.go planReader.spec: drop `case key == \"names\": return r.below(r.value)`":      "the names are read into a new map, not into one that is used again",
	"internal/report/report.go probeDepth: number `64` in `const probeDepth = 64` -> `65`":     "how far the walk looks ahead changes its speed alone",
	"internal/verdict/look.go lookKeys: delete `continue`":                                     "declared properties are looked at twice, with the same answers",
	"internal/verdict/verdict.go heads: negate `p.Name != \"metadata\"`":                       "fields are looked at that could be skipped",
	"resource/autoscaling.go Version.scaleText: result `err` in `return nil, err` -> `nil` #3": "a number and a text always have JSON",
	"validate/listtype.go identity: drop `int64,` in `case nil, bool, int64, float64, string`": "the JSON of an integer identifies it as well, and takes longer",
}
