package audit_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/audit"
)

// An object is returned as soon as its last byte is read.
func TestObjectsComeAtOnce(t *testing.T) {
	reads := 0
	r := readerFunc(func(p []byte) (int, error) {
		reads++
		return copy(p, "{} "), nil
	})
	seen := 0
	for body, err := range audit.Objects(r) {
		require.NoError(t, err)
		require.Equal(t, "{}", string(body))
		seen++
		require.Equal(t, seen, reads)
		if seen == 3 {
			return
		}
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The error of a reader is reported at its position, also in the middle of an object, a string or a document.
func TestReaderErrors(t *testing.T) {
	broken := errors.New("the disk is broken")
	for text, want := range map[string][]string{
		`{"a":1} `:       {`{"a":1}`, "(at byte 8: the disk is broken)"},
		`{"a":`:          {"(at byte 0: the disk is broken)", "(at byte 5: the disk is broken)"},
		`{"a":"x`:        {"(at byte 0: the disk is broken)", "(at byte 7: the disk is broken)"},
		`{"a":"\`:        {"(at byte 0: the disk is broken)", "(at byte 7: the disk is broken)"},
		`{"items":[{"a"`: {"(at byte 10: the disk is broken)", "(at byte 14: the disk is broken)"},
		"a: 1\n":         {`{"a":1}`, "(at byte 5: the disk is broken)"},
	} {
		require.Equal(t, want, texts(audit.Objects(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))), text)
	}
	stuck := readerFunc(func([]byte) (int, error) { return 0, nil })
	require.Equal(t, []string{"(at byte 0: " + io.ErrNoProgress.Error() + ")"}, texts(audit.Objects(stuck)))
}

// Damage ends where the next object begins. In a list, an object after damage is an item only if it has apiVersion as
// its first key, a kind and metadata. Brackets after damage may belong to a list inside the item.
func TestResync(t *testing.T) {
	const good = `{"apiVersion":"v1","kind":"A","metadata":{}}`
	for text, want := range map[string][]string{
		`{"items":[x, {"apiVersion":"v1","metadata":{}}, {"apiVersion":"v1","kind":"A"}, {"kind":"A","apiVersion":"v1","metadata":{}}, ` + good + `]}`: {
			"(at byte 10: 'x' instead of an object)", good,
		},
		`{"items":[{"apiVersion":"v1","kind":"A","metadata":{},"inner":[` + good + `] x}, ` + good + `]}`: {
			"(at byte 10: invalid character 'x')", good, good,
		},
		`{"items":[{"apiVersion":"v1","kind":"A","metadata":{},"inner":[` + good + `] x]]`: {"(at byte 10: invalid character 'x')", good},
		`{"a":1.5E+3} {"a":@} ` + "\n" + good:                                              {`{"a":1.5E+3}`, "(at byte 13: invalid character '@')", good},
		`[` + good + `,],` + good:                                                          {good, `(at byte 47: ',' behind an array)`, good},
	} {
		require.Equal(t, want, texts(audit.Objects(strings.NewReader(text))), text)
	}
}

// A list is recognized even if its items are far from their key.
func TestItemsFarFromTheirKey(t *testing.T) {
	const first, good = `{"apiVersion":"v1","kind":"A"}`, `{"apiVersion":"v1","kind":"B","metadata":{}}`
	for _, blanks := range []int{1, 10_000, 100_000, 300_000} {
		text := first + strings.Repeat(" ", 50_000) + `{"kind":"List","items":` + strings.Repeat(" ", blanks) + "[" + good + "]}"
		require.Equal(t, []string{first, good}, texts(audit.Objects(strings.NewReader(text))), "%d", blanks)
	}
}

// An object of the maximum size is read. A larger one is not read, also in a list, but the objects after it are.
func TestMaxObject(t *testing.T) {
	sized := func(size int) string {
		const head, tail = `{"apiVersion":"v1","kind":"A","metadata":{},"x":"`, `"}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	const good = `{"apiVersion":"v1","kind":"B","metadata":{}}`
	const tooLong = "the object has more than 16777216 bytes)"
	lengths := func(text string) (all []any) {
		for _, s := range texts(audit.Objects(strings.NewReader(text))) {
			if len(s) > 1000 {
				all = append(all, len(s))
			} else {
				all = append(all, s)
			}
		}
		return all
	}
	largest, larger := sized(audit.MaxObject), sized(audit.MaxObject+1)
	require.Equal(t, []any{audit.MaxObject, good}, lengths(largest+good))
	require.Equal(t, []any{"(at byte 0: " + tooLong, good}, lengths(larger+good))
	require.Equal(t, []any{audit.MaxObject, good}, lengths("["+largest+","+good+"]"))
	require.Equal(t, []any{"(at byte 1: " + tooLong, good}, lengths("["+larger+","+good+"]"))
	require.Equal(t, []any{"(at byte 0: the document has more than 16777216 bytes)", good}, lengths("a: "+strings.Repeat("x", 3*audit.MaxObject)+"\n---\n"+good))
}

// Errors in archives and directories begin with the name of the file, if there is one, and do not hide other files.
func TestSourceErrors(t *testing.T) {
	require.Equal(t, []string{"(gzip: invalid header)"}, texts(audit.Tar(strings.NewReader("\x1f\x8bx"+strings.Repeat(" ", 20)))))
	require.Equal(t, []string{"(unexpected EOF)"}, texts(audit.Tar(strings.NewReader("x"))))
	require.Empty(t, texts(audit.Tar(strings.NewReader(""))))
	files := fstest.MapFS{"a.json": {Data: []byte(`{"a":1}{`)}, "b.txt": {Data: []byte("{}")}, "c.yaml": {Data: []byte("a: [")}, "d/e.ndjson": {Data: []byte("{}\n{}")}}
	require.Equal(t, []string{`{"a":1}`, "(a.json: at byte 7: unexpected EOF)", "(c.yaml: at byte 0: yaml: line 1: did not find expected node content)", "{}", "{}"}, texts(audit.Dir(files)))
	for range audit.Dir(files) {
		break
	}
	missing := texts(audit.Dir(os.DirFS("none")))
	require.Len(t, missing, 1)
	require.Contains(t, missing[0], "(.: stat .: ")
}

// Zeros are no objects: a file that was lost in a crash of its file system must not count as one without objects.
func TestZeros(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	for _, text := range []string{zeros, zeros + zeros + zeros + zeros, "a: 1\n---\n\x00\n", "---\n\x00", "\uFEFF\x00", "# c\n\x00\x00"} {
		found := texts(audit.Objects(strings.NewReader(text)))
		require.NotEmpty(t, found, "%.10q", text)
		require.Contains(t, found[len(found)-1], "(at byte", "%.10q", text)
	}
	require.Equal(t, []string{"(the archive has no files)"}, texts(audit.Tar(strings.NewReader(zeros))))
}

// A stream that is damaged everywhere is not read to its end.
func TestManyDamages(t *testing.T) {
	read := 0
	endless := readerFunc(func(p []byte) (int, error) {
		n := copy(p, strings.Repeat("{},\n", len(p)/4))
		read += n
		return n, nil
	})
	damages, last := 0, error(nil)
	for _, err := range audit.Objects(endless) {
		if err != nil {
			damages, last = damages+1, err
		}
	}
	require.Equal(t, audit.MaxDamages, damages)
	require.ErrorContains(t, last, "the rest was not read")
	require.Less(t, read, 8*audit.MaxDamages)
}
