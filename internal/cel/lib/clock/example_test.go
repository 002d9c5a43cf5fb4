package clock_test

import (
	"fmt"
	"time"

	"github.com/crdkit/crdkit/internal/cel/lib/clock"
)

func ExampleParseTimestamp() {
	t, err := clock.ParseTimestamp("2026-01-02T03:04:05+01:00")
	fmt.Println(clock.Hours.Of(t, time.UTC), err)
	_, err = clock.ParseTimestamp("2026-01-02")
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// type conversion error from 'string' to 'google.protobuf.Timestamp'
}

func ExampleSchemaDuration() {
	fmt.Println(clock.SchemaDuration("1h30m"))
	fmt.Println(clock.SchemaDuration("2 days"))
	fmt.Println(clock.SchemaDuration("soon"))
	// Output:
	// 1h30m0s <nil>
	// 48h0m0s <nil>
	// 0s Invalid duration soon: unable to parse soon as duration
}
