// Package input reads the files that the arguments of the command name: files, directories, patterns, standard input,
// and directories of a git commit. A file that cannot be read has an error of its own and does not hide others. Sizes,
// numbers of files and waiting times are limited.
package input
