// Package jsonscan reads JSON in one pass, without reflection and without maps for skipped values, and it converts YAML
// in a simple style to JSON. It declines unusual texts, for which the caller uses the same decoder as a server. A text
// that it accepts is called plain.
//
// # JSON
//
//	s := jsonscan.New(data)
//	defer s.Release()
//	for key, ok := s.FirstKey(); ok; key, ok = s.NextKey() {
//		switch key {
//		case "name":
//			name = s.Text()
//		default:
//			s.Skip()
//		}
//	}
//	if !s.End() {
//		// read data some other way
//	}
//
// A Scanner declines anything that is not JSON, invalid UTF-8, lone surrogates, numbers beyond float64, nesting deeper
// than [MaxDepth], duplicate keys in an object of [Scanner.Value], and a value of another kind than the caller asks
// for. So there is only one way to read a text that is not declined, and the caller need not know how a server reads
// the others. After a Scanner has declined, every method returns immediately with a zero result.
//
// # Memory
//
// The results of [Scanner.Text] are substrings of larger blocks, and keep these alive. So do short strings of
// [DecodeObject] and [NewObject], with blocks of at most 1 KiB. Other strings have memory of their own. A released
// Scanner is reused for other texts. For these it keeps some short strings, at most 80 KiB, until it is garbage
// collected.
//
// # YAML
//
// A [YAML] reader converts YAML if it is in the style that generators and most people write: indented mappings and
// sequences with plain, quoted and literal scalars. It reads definitions nine times as fast as a YAML library does,
// which users notice: Gateway API's definitions (470 KB) take 2.4 ms instead of 22 ms, and crdkit validate with 195
// definitions (17 MB) takes 0.34 s instead of 1.2 s.
//
//	r := jsonscan.NewYAML(data)
//	for {
//		text, ok := r.Next()
//		if !ok {
//			break
//		}
//		// text is the JSON of a document
//	}
//	if r.Declined() {
//		// read data some other way
//	}
//
// It declines anchors, aliases, tags, directives, collections in braces or brackets unless they are empty, complex
// keys, folded block scalars, indentation indicators, tabs, carriage returns and line breaks other than the line feed,
// unprintable characters, documents that are not a mapping, and anything that is not YAML. It declines a plain scalar
// if its type is not obvious: numbers that are not plain integers or have many digits, scalars that look like a time,
// infinities. These are rare in definitions. Everything else is read as YAML 1.1, as go.yaml.in/yaml/v2 reads it.
//
// Duplicate keys are kept in the JSON. All keys are strings: a key of another type (a number, yes) is declined.
package jsonscan
