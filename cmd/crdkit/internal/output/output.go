package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A Writer prints to standard output or standard error. It is safe for concurrent use.
type Writer struct {
	mu       sync.Mutex
	to       io.Writer
	buffered bool
	color    bool
	pending  []byte // complete lines that have not been written
	line     []byte // the last line, without a line break so far
	err      error  // of the first write that failed
}

// New returns a Writer that writes each line as soon as it is complete.
func New(to io.Writer) *Writer { return &Writer{to: to} }

// Buffered returns a Writer that writes when there is much to write, and in Flush.
func Buffered(to io.Writer) *Writer { return &Writer{to: to, buffered: true} }

// IsTerminal reports whether w prints to a terminal that can show colors.
func (w *Writer) IsTerminal() bool {
	f, ok := w.to.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// UseColor lets w print colors. See [Writer.Paint].
func (w *Writer) UseColor() { w.color = true }

// Printf prints as [fmt.Printf]. Texts in the arguments stay in the line: see [Escape]. It modifies args.
func (w *Writer) Printf(format string, args ...any) {
	for i, a := range args { // in place, so that go vet sees that args are those of format
		args[i] = escaped(a)
	}
	w.print(fmt.Appendf(nil, format, args...), false)
}

// Print prints a text that is data: see [Block].
func (w *Writer) Print(text string) { w.Printf("%s", Block{Text: text}) }

// JSON prints a value as indented JSON, with <, > and & as they are.
func (w *Writer) JSON(v any) error {
	text, err := AppendJSON(nil, v)
	if err == nil {
		w.print(text, false)
	}
	return err
}

// AppendJSON appends what [Writer.JSON] prints.
func AppendJSON(to []byte, v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return to, err
	}
	return appendEscaped(to, b.String(), true), nil
}

// Annotate prints a workflow command of GitHub about a file: an error, a warning or a notice. Line and column are left
// out if line is 0, and so is an empty title.
func (w *Writer) Annotate(level, file string, line, column int, title, message string) {
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	text := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	var b []byte
	b = append(b, "::"+level+" file="...)
	b = appendEscaped(b, property.Replace(file), false)
	if line > 0 {
		b = fmt.Appendf(b, ",line=%d,col=%d", line, column)
	}
	if title != "" {
		b = appendEscaped(append(b, ",title="...), property.Replace(title), false)
	}
	b = appendEscaped(append(b, "::"...), text.Replace(message), false)
	w.print(append(b, '\n'), true)
}

// Flush writes everything and returns the first error of writing, if any.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = appendHarmless(w.pending, w.line, false)
	w.line = w.line[:0]
	w.write()
	return w.err
}

// write writes the pending lines.
func (w *Writer) write() {
	if len(w.pending) > 0 && w.err == nil {
		_, w.err = w.to.Write(w.pending)
	}
	w.pending = w.pending[:0]
}

// bufferSize is how much a buffered Writer keeps.
const bufferSize = 64 << 10

// print prints a text whose data have been escaped. It may be part of a line. A trusted text is a complete line that
// may begin with a command.
func (w *Writer) print(text []byte, trusted bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for part := range bytes.Lines(text) {
		if !bytes.HasSuffix(part, []byte("\n")) {
			w.line = append(w.line, part...)
			break
		}
		if len(w.line) > 0 {
			part = append(w.line, part...)
		}
		w.pending = appendHarmless(w.pending, part, trusted)
		w.line = w.line[:0]
		if len(w.pending) >= bufferSize {
			w.write()
		}
	}
	if !w.buffered {
		w.write()
	}
}

// appendHarmless appends a line, in which no CI service finds a command except, in a trusted line, at its beginning.
func appendHarmless(to, line []byte, trusted bool) []byte {
	if text := bytes.TrimLeftFunc(line, unicode.IsSpace); !trusted && bytes.HasPrefix(text, []byte("::")) {
		to = append(to, line[:len(line)-len(text)]...)
		to = append(to, `\u003a`...)
		line = text[1:]
	}
	for {
		i := bytes.Index(line, []byte("##"))
		if i < 0 {
			return append(to, line...)
		}
		name := line[i+2:]
		to, line = append(to, line[:i+1]...), line[i+1:]
		if bytes.HasPrefix(bytes.TrimLeftFunc(name, isLetter), []byte("[")) {
			to, line = append(to, `\u0023`...), line[1:]
		}
	}
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// A Block is an argument of [Writer.Printf] whose line breaks stay. The lines behind the first one are indented.
type Block struct {
	Indent string
	Text   string
}

// A Color is an escape sequence of terminals.
type Color string

// Colors.
const (
	Bold, Red, Yellow, Blue, Green Color = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[36m", "\x1b[32m"
	plain                          Color = "\x1b[0m"
)

// Paint returns a text as an argument of Printf, which is in that color if w uses colors.
func (w *Writer) Paint(c Color, text string) fmt.Formatter {
	if !w.color {
		return value{text}
	}
	return painted{c, text}
}

type painted struct {
	color Color
	text  string
}

// Format implements [fmt.Formatter].
func (p painted) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprint(f, string(p.color)+Escape(p.text)+string(plain))
}

// escaped returns an argument of [fmt.Printf] that is escaped if it is a text.
func escaped(arg any) any {
	switch arg.(type) {
	case int, int64, uint64, bool, value, painted: // an int may be the width of another argument
		return arg
	}
	return value{arg}
}

// A value is an argument of [fmt.Printf] that comes from input.
type value struct{ v any }

// Format implements [fmt.Formatter].
func (v value) Format(f fmt.State, verb rune) {
	if block, ok := v.v.(Block); ok {
		lines := strings.ReplaceAll(strings.TrimSuffix(block.Text, "\n"), "\n", "\n"+block.Indent)
		if strings.HasSuffix(block.Text, "\n") {
			lines += "\n"
		}
		_, _ = f.Write(appendEscaped(nil, lines, true))
		return
	}
	_, _ = f.Write(appendEscaped(nil, fmt.Sprintf(fmt.FormatString(f, verb), v.v), false))
}

// Escape returns a text in one line. It escapes control characters except tabs, line breaks, characters that are
// invisible or change the direction of others, and bytes that are not UTF-8.
func Escape(text string) string {
	if strings.IndexFunc(text, func(c rune) bool { return c == utf8.RuneError || hidden(c) }) < 0 {
		return text
	}
	return string(appendEscaped(nil, text, false))
}

// EscapeLines is [Escape] for a text of several lines.
func EscapeLines(text string) string { return string(appendEscaped(nil, text, true)) }

// hidden reports whether a terminal may not show a character, or may show others differently because of it.
func hidden(c rune) bool {
	if c < 0x7f {
		return c < ' ' && c != '\t'
	}
	return c < 0xa0 || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// appendEscaped appends a text, in which [hidden] characters are escaped as in JSON. Line breaks stay if lines is set.
func appendEscaped(to []byte, text string, lines bool) []byte {
	for i, c := range text {
		switch {
		case c == '\n' && !lines:
			to = append(to, `\n`...)
		case c == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				to = fmt.Appendf(to, `\x%02x`, text[i])
			} else {
				to = utf8.AppendRune(to, c)
			}
		case c == '\n' || !hidden(c):
			to = utf8.AppendRune(to, c)
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			to = fmt.Appendf(to, `\u%04x\u%04x`, high, low)
		default:
			to = fmt.Appendf(to, `\u%04x`, c)
		}
	}
	return to
}
