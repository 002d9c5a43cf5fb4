package manifest

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

func inUTF16(order binary.ByteOrder, text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		out = append(out, 0, 0)
		order.PutUint16(out[len(out)-2:], unit)
	}
	return out
}

func TestUTF16(t *testing.T) {
	long := strings.Repeat("kind: é\U0001F600\n", 10_000)
	for _, text := range []string{"", "a", "kind: A\n---\nkind: é\U0001F600\n", long} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			data := inUTF16(order, text)
			require.Equal(t, text, string(UTF8(data)))
			for _, r := range []io.Reader{iotest.OneByteReader(bytes.NewReader(data)), iotest.HalfReader(bytes.NewReader(data))} {
				got, err := io.ReadAll(NewReader(r))
				require.NoError(t, err)
				require.Equal(t, text, string(got))
			}
		}
		got, err := io.ReadAll(NewReader(iotest.OneByteReader(strings.NewReader(text))))
		require.NoError(t, err)
		require.Equal(t, text, string(got), "UTF-8 stays as it is")
		data := []byte(text)
		if len(data) > 0 {
			require.Same(t, &data[0], &UTF8(data)[0])
		}
	}
	// A half of a pair, and half of a unit.
	require.Equal(t, "\ufffda", string(UTF8([]byte("\xff\xfe\x3d\xd8a\x00"))))
	require.Equal(t, "\ufffd", string(UTF8([]byte("\xff\xfe\x3d\xd8"))))
	require.Equal(t, "a\ufffd", string(UTF8([]byte("\xff\xfea\x00b"))))
}

// The positions in a file in UTF-16 are those of its characters, and it may have several documents.
func TestSplitUTF16(t *testing.T) {
	documents := Split(inUTF16(binary.LittleEndian, "kind: A\n---\n# x\nkind: B\n"))
	require.Len(t, documents, 2)
	require.Equal(t, 3, documents[1].Line)
	require.Equal(t, "# x\nkind: B\n", string(documents[1].Text))
}
