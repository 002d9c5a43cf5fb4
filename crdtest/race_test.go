//go:build race

package crdtest

const raceEnabled = true
