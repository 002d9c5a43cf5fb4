//go:build race

package cel_test

const raceDetector = true
