// Package hostile holds adversarial inputs: definitions, schemas, rules, objects, documents, patches, conversions and
// reviews that once took excessive time or memory for their size, or could have.
//
// Each is a row of a table. A plain go test runs every row at a fraction of its size. With the flag -hostile, each row
// runs at its full size in a process of its own, which may use 512 MiB of memory and 5 seconds of CPU:
//
//	go test ./internal/test/hostile -hostile
//
// Time limits are scaled by the speed of the machine, up to four times. Rows that need no exact times run in parallel.
//
// Rows marked as linear also run at a quarter and a sixteenth of their size. Between these sizes and the full one, CPU
// time must not grow faster than the size to the power of 1.3, plus 0.1 for noise, or more on a slow machine.
//
// The matrix has each hostile definition of up to 1 MiB with each operation on definitions, and a quarter of it with each
// command. The aim is 512 MiB and 2 seconds for a cell; it fails beyond 512 MiB or twice that time, and if a definition
// of more than 64 KiB takes half a second or more and its time grows faster than that of a linear row. All operations on
// one definition run in one process, which starts again if one of them ends it. The flag -matrix selects cells by a part
// of their names:
//
//	go test ./internal/test/hostile -hostile -run TestMatrix -matrix 'many fields: compat'
//
// The flag -soak starts the program of examples/webhook with a memory limit of 512 MiB and attacks it for the given
// time, while 20 honest clients send reviews that must all be answered within a second:
//
//	go test ./internal/test/hostile -run TestSoak -soak 10m -timeout 15m -v
package hostile
