// Package jsonscan reads JSON in one pass, without reflection and without maps for skipped values. It declines unusual
// texts, for which the caller uses the same decoder as a server. A text that it accepts is called plain.
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
// # What is declined
//
// Anything that is not JSON, invalid UTF-8, lone surrogates, numbers beyond float64, nesting deeper than [MaxDepth],
// duplicate keys in an object of [Scanner.Value], and a value of another kind than the caller asks for. So there is
// only one way to read a text that is not declined, and the caller need not know how a server reads the others. After a
// Scanner has declined, every method returns immediately with a zero result.
//
// # Memory
//
// The results of [Scanner.Text] are substrings of larger blocks, and keep these alive. So do short strings of
// [DecodeObject], with blocks of at most 1 KiB, and strings of [NewCopied], with the copy of the text. Other strings
// have memory of their own. A released Scanner is reused for other texts. For these it keeps some short strings, at
// most 80 KiB, until it is garbage collected.
package jsonscan
