// Package clock implements the timestamps and durations of CEL rules: it parses them from the texts of rules and of
// objects, prints them, returns their parts, and has arithmetic with overflow checks. Timestamps are time.Time,
// durations are time.Duration.
//
//	t, err := clock.ParseTimestamp("2026-01-02T03:04:05+01:00")
//	clock.Hours.Of(t, time.UTC) // 2
//
// The texts in rules are parsed in one way (ParseTimestamp, ParseDuration), an object's fields with a format in
// another, more lenient one (SchemaTimestamp, SchemaDate, SchemaDuration). SchemaBytes parses the format byte.
//
// # Values
//
// A timestamp keeps the zone that it was written with, and prints it. Timestamps of rules are in the years 1 to 9999;
// those of objects may be in the year 0.
//
// # Identity
//
// A server compares the elements of sets as Go values, which include a pointer to the zone, so rules can observe
// whether two timestamps share a zone. It is the same here: Z and +00:00 differ, whole hours from -12:00 to +14:00
// equal themselves, and for any other offset each parsed text creates a new zone.
//
// # Time zones
//
// Names such as Europe/Berlin are looked up by time.LoadLocation: in the directory or file that the environment
// variable ZONEINFO names, in the operating system's database, in Go's, and finally in the one that is linked into the
// program. As in a server, the answer depends on the database. Programs that run without one should import time/tzdata;
// this package does not, because that is 450 KB.
//
// # Errors
//
// The texts are those of the server, without a prefix.
//
// # Concurrency
//
// All functions are pure, except that Zones has state and is for one goroutine.
//
// # Parity
//
// Kubernetes 1.37 with cel-go v0.29.2, clauses CVA-003, CVA-020, CLI-070, CLI-071, CLI-072, CMS-022. The zone Local is
// UTC here, as it is for a server in a container, and a timestamp's zone does not depend on the host's.
package clock
