package jsonscan

// maxPaths limits the total bytes of the paths of all keys in a text, so that strict decoding is bounded: it builds the
// path of each unknown key. A 3 MiB document written by a person has a tenth of that.
const maxPaths = 256 << 20

// LongPathsFinding is the only finding of strict decoding for a text with long paths.
const LongPathsFinding = "the paths of its fields are too long to look for unknown and duplicate ones"

// LongPaths reports whether the paths of all keys in a JSON text have more than maxPaths bytes in total. It takes
// time linear in the text. If the text is not JSON, the result is meaningless.
func LongPaths(text []byte) bool {
	var open []int // the lengths of the paths of the values that are open
	path, total := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			open = append(open, path)
		case '}', ']':
			if last := len(open) - 1; last >= 0 {
				path, open = open[last], open[:last]
			}
		case '"':
			start := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			next := i + 1
			for next < len(text) && (text[next] == ' ' || text[next] == '\t' || text[next] == '\r' || text[next] == '\n') {
				next++
			}
			if next >= len(text) || text[next] != ':' || len(open) == 0 {
				continue
			}
			path = open[len(open)-1] + i - start
			if total += path; total > maxPaths {
				return true
			}
		}
	}
	return false
}
