// Package input reads what the arguments of the command name: files, directories and those below, patterns, standard input, and directories
// of a git commit. What cannot be read is an error of its own and does not hide the rest; sizes, numbers and waiting times are bounded.
package input
