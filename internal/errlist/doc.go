// Package errlist collects errors up to a limit. All checks of objects and definitions append to a [List], so that
// results have a bounded number of errors and bytes of text, however hostile the input is.
package errlist
