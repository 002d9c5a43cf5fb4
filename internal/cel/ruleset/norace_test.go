//go:build !race

package ruleset_test

const raceDetector = false
