// Package yamltext has what tools do with the text of objects: it finds where in a file a value is written, edits
// files, and prints objects as YAML.
//
// # Positions
//
// A position is the line and column of a field's path or of a JSON pointer, in YAML and JSON.
//
//	for _, part := range yamltext.Split(file) {
//		doc, err := yamltext.Locate(part)
//		for _, e := range result.Errors {
//			place := doc.Of(e) // place.Line, place.Column
//		}
//	}
//
// Decoding and validating an object do not need positions: call Locate only when there is an error to report.
//
// [Document.Value] is where a value begins, [Document.Key] where its key begins, and [Document.Nearest] is the key of
// the innermost existing value around it. [Document.Of] chooses among them for an error: the value if it is bad, the
// key of its parent if it is missing.
//
// Lines and columns are those of the whole file, from 1, and columns count characters. The position of an alias's value
// is that of its anchor, also for merge keys. The position of an empty value is that of its key. If a key occurs
// several times, the last one is used, as on a server.
//
// # Edits
//
// [SetInteger] changes a value in the text of a file. Everything else stays as it is: comments, order, white space.
//
// # Objects as YAML
//
// [Encode] prints an object for a server to read. [Print] prints it for people, with marks at some lines, and cuts what
// is long.
//
// # Errors and cost
//
// For a document that cannot be parsed, [Locate] returns an error, and only the position of its beginning is known.
// Locate takes time and memory linear in the document: aliases are not expanded. The other functions take time linear
// in the path, and read each map along it once for all calls. [Document.Path] gives up on texts with too many possible
// meanings, and a lookup follows the merge keys of at most 1,000 maps. No function panics. A parsed document retains
// only the keys and values of the file's text. It is safe for concurrent use.
//
// # Parity
//
// A server does not report positions. Its clauses are those of the family POS: docs/internals/behaviour.md in the
// repository lists them with their tests.
package yamltext
