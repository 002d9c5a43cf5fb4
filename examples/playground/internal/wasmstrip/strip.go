package wasmstrip

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// header is the beginning of the tables: their version, the minimum length of an instruction, and the size of a
// pointer.
var header = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// Strip empties the tables of lines and files in a program, in place. If it returns an error, the program is unchanged.
func Strip(program []byte) error {
	segments, err := dataSegments(program)
	if err != nil {
		return err
	}
	for _, s := range segments {
		for from := 0; ; from++ {
			i := bytes.Index(s.data[from:], header)
			if i < 0 {
				break
			}
			from += i
			t := tables{segments: segments, at: s.address + uint64(from)}
			if t.read() == nil {
				t.strip()
				return nil
			}
		}
	}
	return errors.New("wasmstrip: the program has no tables of lines that this package knows")
}

// A segment is a part of a program's initial memory. Memory outside of all segments is zero.
type segment struct {
	address uint64
	data    []byte // shares the program
}

const (
	dataSection = 11
	i32Const    = 0x41
	end         = 0x0b
)

var errMalformed = errors.New("wasmstrip: this is no program of the Go linker")

// dataSegments returns the segments of the data section.
func dataSegments(program []byte) ([]segment, error) {
	rest, ok := bytes.CutPrefix(program, []byte("\x00asm\x01\x00\x00\x00"))
	if !ok {
		return nil, errMalformed
	}
	for len(rest) > 0 {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errMalformed
		}
		section := rest[1+n:][:size]
		rest = rest[1+n+int(size):]
		if id == dataSection {
			return segmentsIn(section)
		}
	}
	return nil, errMalformed
}

func segmentsIn(section []byte) (all []segment, err error) {
	count, n := binary.Uvarint(section)
	if n <= 0 {
		return nil, errMalformed
	}
	section = section[n:]
	for range count {
		if len(section) < 3 || section[0] != 0 || section[1] != i32Const {
			return nil, errMalformed
		}
		address, n := binary.Uvarint(section[2:]) // the encoding is signed, but the address has no sign bit
		if n <= 0 || len(section) < 3+n || section[2+n] != end {
			return nil, errMalformed
		}
		section = section[3+n:]
		size, n := binary.Uvarint(section)
		if n <= 0 || size > uint64(len(section)-n) {
			return nil, errMalformed
		}
		all = append(all, segment{address, section[n:][:size:size]})
		section = section[n+int(size):]
	}
	return all, nil
}

// tables are the tables of functions at an address.
type tables struct {
	segments []segment
	at       uint64

	functions uint64 // the number of functions
	files     uint64 // the address of the names of files, and of their index
	pcTables  uint64 // the address of the tables by instruction, where the names of files end
	functab   uint64 // the address of the list of functions
	keep      map[uint32]bool
	drop      map[uint32]bool
}

// byteAt returns a byte of the memory.
func (t *tables) byteAt(address uint64) byte {
	if p := t.pointer(address); p != nil {
		return *p
	}
	return 0
}

func (t *tables) pointer(address uint64) *byte {
	for i := range t.segments {
		if s := &t.segments[i]; address >= s.address && address < s.address+uint64(len(s.data)) {
			// The next address is likely in the same segment.
			t.segments[0], t.segments[i] = t.segments[i], t.segments[0]
			return &t.segments[0].data[address-t.segments[0].address]
		}
	}
	return nil
}

func (t *tables) number(address uint64, bytes int) (n uint64) {
	for i := range bytes {
		n |= uint64(t.byteAt(address+uint64(i))) << (8 * i)
	}
	return n
}

// The offsets of the fields of a function.
const (
	pcspField    = 16
	fileField    = 20
	lineField    = 24
	pcdataCount  = 28
	startField   = 36 // the line where it begins
	pcdataFields = 44
	maxFunctions = 1 << 20
	maxTables    = 1 << 28 // bytes
	maxPCData    = 16
)

// read finds the tables, and those that are used only for lines and files. Equal tables are stored once and may be
// shared.
func (t *tables) read() error {
	t.functions = t.number(t.at+8, 8)
	if t.functions == 0 || t.functions > maxFunctions {
		return errMalformed
	}
	t.files = t.at + t.number(t.at+40, 8)
	t.pcTables = t.at + t.number(t.at+56, 8)
	t.functab = t.at + t.number(t.at+64, 8)
	if t.files <= t.at || t.pcTables < t.files || t.functab < t.pcTables || t.functab-t.at > maxTables {
		return errMalformed
	}
	t.keep, t.drop = map[uint32]bool{0: true}, map[uint32]bool{}
	for i := range t.functions {
		f := t.function(i)
		t.keep[uint32(t.number(f+pcspField, 4))] = true
		count := t.number(f+pcdataCount, 4)
		if count > maxPCData {
			return fmt.Errorf("wasmstrip: function %d has %d tables", i, count)
		}
		for k := range count {
			t.keep[uint32(t.number(f+pcdataFields+4*k, 4))] = true
		}
		t.drop[uint32(t.number(f+fileField, 4))] = true
		t.drop[uint32(t.number(f+lineField, 4))] = true
	}
	return nil
}

// function returns the address of a function's description.
func (t *tables) function(i uint64) uint64 { return t.functab + t.number(t.functab+8*i+4, 4) }

// strip empties the tables, and makes all functions refer to the empty table.
func (t *tables) strip() {
	for offset := range t.drop {
		if !t.keep[offset] {
			t.clear(t.pcTables + uint64(offset))
		}
	}
	for i := range t.functions {
		f := t.function(i)
		for _, field := range []uint64{fileField, lineField, startField} {
			t.zero(f+field, f+field+4)
		}
	}
	t.zero(t.files, t.pcTables)
}

// zero clears the memory from an address up to another one.
func (t *tables) zero(from, to uint64) {
	for ; from < to; from++ {
		if p := t.pointer(from); p != nil {
			*p = 0
		}
	}
}

// clear clears a table: pairs of numbers in groups of seven bits, up to a value of zero that is not the first.
func (t *tables) clear(address uint64) {
	number := func() (zero bool) {
		zero = true
		for {
			p := t.pointer(address)
			if p == nil {
				address++
				return zero
			}
			b := *p
			*p = 0
			address++
			zero = zero && b&0x7f == 0
			if b&0x80 == 0 {
				return zero
			}
		}
	}
	for first := true; ; first = false {
		if zero := number(); zero && !first {
			return
		}
		number()
	}
}
