// Package archive reads and writes txtar files: several small files in one text. A comment comes first, then the files,
// each below a line `-- name --`.
package archive
