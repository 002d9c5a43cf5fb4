// Package clock has the timestamps and durations of CEL rules: reading them from the texts of rules and of objects, printing them, their
// parts, and arithmetic that notices overflow. Timestamps are time.Time, durations are time.Duration.
//
//	t, err := clock.ParseTimestamp("2026-01-02T03:04:05+01:00")
//	clock.Hours.Of(t, time.UTC) // 2
//
// A rule reads texts in one way (ParseTimestamp, ParseDuration), an object's fields with a format are read in another, more generous one
// (SchemaTimestamp, SchemaDate, SchemaDuration). SchemaBytes reads the format byte.
//
// # Values
//
// A timestamp keeps the zone that it was written with, and prints it. Timestamps of rules are in the years 1 to 9999; those of objects
// may be in the year 0.
//
// # Identity
//
// A server compares the elements of sets by Go value, zone included, so the place of a zone in memory is visible to rules. Here as
// there, Z and +00:00 differ, whole hours from -12:00 to +14:00 are equal to themselves, and of any other zone each text that is read
// makes a new one.
//
// # Time zones
//
// Names such as Europe/Berlin are looked up by time.LoadLocation: in the directory or file that the environment variable ZONEINFO names,
// in the operating system's database, in Go's, and at last in the one that is linked into the program. As a server's answer depends on
// its database, so does this one. A program that runs where there is none should import time/tzdata; this package does not, since that
// is 450 KB.
//
// # Errors
//
// The texts are those of the server, without anything in front.
//
// # Concurrency
//
// All functions are pure, but Zones has state: it is for one goroutine.
//
// # Parity
//
// Kubernetes 1.37 with cel-go v0.29.2, clauses CVA-003, CVA-020, CLI-070, CLI-071, CLI-072, CMS-022. The zone Local is UTC here, as it is
// on a server in a container, and a timestamp's zone does not depend on the host's.
package clock
