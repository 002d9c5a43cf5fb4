// Package jsonscan reads JSON in one pass, without reflection and without a map for what the reader does not keep. It declines what
// is not plain, so that a caller uses the decoder that a server has for that.
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
// All that is no JSON, invalid UTF-8, lone surrogates, numbers beyond float64, nesting deeper than [MaxDepth], a key that
// comes twice in one object of [Scanner.Value], and a value of another kind than the caller asks for. So of a text that is not
// declined there is one way to read it, and the caller need not know how a server reads the others. Once a Scanner has declined,
// every method returns at once, with nothing.
//
// # Memory
//
// What [Scanner.Text] returns is a part of a block of texts, and keeps that alive. No other string keeps more alive than itself. A
// released Scanner serves another text, for which it remembers some short strings, 40 KiB at most, and has room of 40 KiB for large ones,
// until the garbage collector comes for it.
package jsonscan
