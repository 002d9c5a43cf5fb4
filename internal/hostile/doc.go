// Package hostile holds inputs that were made to bring the library down: definitions, schemas, rules, objects, documents, patches,
// conversions and reviews whose answers once took time or memory out of proportion to their size, or could have.
//
// Each is a row of a table. A plain go test runs every row at a fraction of its size. With the flag -hostile, each row runs at its full
// size in a process of its own, which may use 512 MiB of memory and 5 seconds of CPU:
//
//	go test ./internal/hostile -hostile
//
// Rows that are marked as linear also run at a quarter and a sixteenth of their size, and their CPU time must not grow faster than the
// size to the power of 1.3.
//
// The flag -soak starts the program of examples/webhook with a memory limit of 512 MiB and attacks it for so long, beside 20 honest clients
// whose reviews must all be answered within a second:
//
//	go test ./internal/hostile -run TestSoak -soak 10m -timeout 15m -v
package hostile
