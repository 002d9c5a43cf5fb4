package main

// equivalents are mutations that no caller can notice, by their names, and why. An entry stays harmless when its code has gone.
var equivalents = map[string]string{
	"validate/listtype.go identity: drop `int64,` in `case nil, bool, int64, float64, string`": "the JSON of an integer identifies it as well, and takes longer",
	"resource/autoscaling.go Version.scaleText: result `err` in `return nil, err` -> `nil` #3": "a number and a text always have JSON",
}
