// Package errlist gathers errors up to a limit. Whatever reports on objects and definitions appends to a [List], so that an answer has a
// bounded number of errors and of bytes of text, however hostile the input is.
package errlist
