// Package input reads the files that the arguments of the command name: files, directories, patterns, standard input,
// and directories of a git commit. Each file that cannot be read has its own error, and the others are still read.
// Sizes, numbers of files and waiting times are limited.
package input
