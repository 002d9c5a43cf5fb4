// Package wasmstrip makes Go programs for WebAssembly smaller: it empties the tables that say which line of which file an instruction comes from.
// Only tracebacks read them. The linker's flags -s and -w leave them in, and they are a tenth of a compressed program.
//
// It knows the layout of the tables (the one that debug/gosym reads, of Go 1.20 and newer), and refuses a program in which it does not find it.
package wasmstrip
