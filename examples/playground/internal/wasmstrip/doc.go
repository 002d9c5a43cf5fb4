// Package wasmstrip makes Go programs for WebAssembly smaller: it empties the tables that map instructions to files and
// lines. Only tracebacks read them. The linker's flags -s and -w do not remove them, and they are a tenth of a
// compressed program.
//
// It supports the table layout of Go 1.20 and newer, which debug/gosym reads, and returns an error for any other
// program.
package wasmstrip
