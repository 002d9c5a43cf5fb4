package manifest

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrder returns the order of the bytes of a text in UTF-16, which begins with a byte order mark, and nil for other
// texts. Windows PowerShell writes such files.
func byteOrder(data []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return binary.BigEndian
	}
	return nil
}

// UTF8 returns data in UTF-8, without a byte order mark, if it is in UTF-16, and otherwise data itself. What is no
// character becomes U+FFFD.
func UTF8(data []byte) []byte {
	if byteOrder(data) == nil {
		return data
	}
	converted, _ := io.ReadAll(NewReader(bytes.NewReader(data))) // reading bytes does not fail
	return converted
}

// NewReader returns a reader of what [UTF8] returns for all of r.
func NewReader(r io.Reader) io.Reader { return &reader{r: r} }

type reader struct {
	r       io.Reader
	head    []byte // the first bytes, before it has started
	started bool
	order   binary.ByteOrder // nil: UTF-8
	in      []byte           // what is read and not converted
	out     []byte           // what is converted and not returned
	err     error
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	if !r.started {
		n, err := r.r.Read(p)
		r.head, r.err = append(r.head, p[:n]...), err
		if len(r.head) < 2 && err == nil {
			return 0, nil
		}
		r.started = true
		if r.order = byteOrder(r.head); r.order == nil {
			r.out = r.head
		} else {
			r.in = r.head[2:]
		}
	}
	for r.order != nil && len(r.out) == 0 && r.err == nil {
		r.convert()
	}
	if len(r.out) > 0 {
		n := copy(p, r.out)
		r.out = r.out[n:]
		return n, nil
	}
	if r.err != nil {
		return 0, r.err
	}
	return r.r.Read(p)
}

const readSize = 32 << 10

// convert reads and converts some text.
func (r *reader) convert() {
	buffer := make([]byte, readSize)
	n, err := r.r.Read(buffer)
	r.in, r.err = append(r.in, buffer[:n]...), err
	for len(r.in) >= 2 {
		c := rune(r.order.Uint16(r.in))
		size := 2
		if utf16.IsSurrogate(c) {
			if len(r.in) < 4 && r.err == nil {
				return // the other half may come
			}
			other := rune(utf8.RuneError)
			if len(r.in) >= 4 {
				other = rune(r.order.Uint16(r.in[2:]))
			}
			if c = utf16.DecodeRune(c, other); c != utf8.RuneError {
				size = 4
			}
		}
		r.in, r.out = r.in[size:], utf8.AppendRune(r.out, c)
	}
	if len(r.in) > 0 && r.err != nil {
		r.in, r.out = nil, utf8.AppendRune(r.out, utf8.RuneError)
	}
}
