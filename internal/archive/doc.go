// Package archive reads and writes the text of several small files in one: a comment, then files, each below a line `--
// name --`. The format is known as txtar.
package archive
