package jsonscan

// value reads the value that begins at i, in the line of a key or a dash in the column col, and advances to the line
// after it.
func (r *YAML) value(i, col int) {
	switch r.data[i] {
	case '|':
		r.literal(i, col)
	case '"', '\'':
		r.quoted(i, col)
	case '{', '[':
		r.empty(i)
	case '>', '&', '*', '!', '%', '@', '`', '#', '?', ':', ',', ']', '}', '\t':
		r.declined = true
	default:
		if r.dash(i) {
			r.declined = true
		} else {
			r.plain(i, col)
		}
	}
}

// empty reads an empty mapping in braces, or an empty sequence in brackets, that begins at i.
func (r *YAML) empty(i int) {
	opening, end := r.data[i], r.skipSpaces(i+1)
	closing := opening + 2 // in ASCII, for both kinds
	if r.at(end) != closing || !r.alone(end+1) {
		r.declined = true
		return
	}
	r.out = append(r.out, opening, closing)
	r.advance()
}

// alone reports whether nothing but a comment follows a value that ends at i in the line.
func (r *YAML) alone(i int) bool {
	return i >= r.end || r.data[i] == ' ' && r.blank(r.skipSpaces(i))
}

// continuation goes to the next line, even if it is a comment, if a scalar whose collection is in the column col may
// continue there, and returns the number of empty lines between. The line's text is from start to end.
func (r *YAML) continuation(col int) (empty int, ok bool) {
	for begin := r.next; begin < len(r.data); empty++ {
		start := r.skipSpaces(begin)
		if r.at(start) != '\n' {
			if start-begin <= col {
				return 0, false
			}
			end := r.lineEnd(start)
			r.start, r.end, r.next = start, r.trimSpaces(start, end), min(end+1, len(r.data))
			return empty, true
		}
		begin = start + 1
	}
	return 0, false
}

// plain reads a plain scalar.
func (r *YAML) plain(i, col int) {
	begin := len(r.out)
	r.out = append(r.out, '"')
	end, last := r.plainEnd(i)
	first := r.data[i:end]
	r.out = appendText(r.out, first)
	lines := 1
	for !last && !r.declined {
		next := r.next
		empty, ok := r.continuation(col)
		if !ok || r.data[r.start] == '#' {
			r.next = next
			break
		}
		lines++
		r.fold(empty)
		end, last = r.plainEnd(r.start)
		r.out = appendText(r.out, r.data[r.start:end])
	}
	r.out = append(r.out, '"')
	if lines == 1 {
		if meaning := resolveScalar(first); meaning != textMeaning {
			r.out = r.out[:begin]
			r.write(meaning, first)
		}
	} else if resolveScalar(first) != textMeaning {
		// A scalar of this type that continues on another line is probably a string: leave it to the library.
		r.declined = true
	}
	r.advance()
}

// write writes a plain scalar that is not a string.
func (r *YAML) write(m meaning, scalar []byte) {
	switch m {
	case null:
		r.out = append(r.out, "null"...)
	case yes:
		r.out = append(r.out, "true"...)
	case no:
		r.out = append(r.out, "false"...)
	case integer:
		r.out = append(r.out, scalar...)
	default:
		r.declined = true
	}
}

// plainEnd returns the end of the part of a plain scalar that begins at i, in the current line, and whether it is the
// last part because a comment follows. It declines text that would be a key.
func (r *YAML) plainEnd(i int) (end int, last bool) {
	for j := i; j < r.end; j++ {
		switch r.data[j] {
		case ':':
			if j+1 == r.end || r.data[j+1] == ' ' {
				r.declined = true
				return i, true
			}
		case '#':
			if j > i && r.data[j-1] == ' ' {
				return r.trimSpaces(i, j), true
			}
		case '\t':
			r.declined = true
			return i, true
		}
	}
	return r.end, false
}

// fold writes the folded form of a line break in a scalar, and the empty lines after it.
func (r *YAML) fold(empty int) {
	if empty == 0 {
		r.out = append(r.out, ' ')
	}
	r.feeds(empty)
}

func (r *YAML) feeds(n int) {
	for range n {
		r.out = append(r.out, '\\', 'n')
	}
}

// quoted reads a quoted scalar.
func (r *YAML) quoted(i, col int) {
	quote := r.data[i]
	r.out = append(r.out, '"')
	for i++; ; {
		end, joined := i, false
		for end < r.end && r.data[end] != quote && r.data[end] != '\\' && r.data[end] != '\t' {
			end++
		}
		switch {
		case end >= r.end: // the end of the line, without trailing spaces
		case r.data[end] == '\t':
			r.declined = true
			return
		case quote == '\'' && r.data[end] == '\\':
			r.out = append(appendText(r.out, r.data[i:end]), '\\', '\\')
			i = end + 1
			continue
		case r.data[end] == '\\' && end+1 >= r.end:
			// An escaped line break needs a line feed directly after the backslash.
			if r.at(r.end) != '\n' {
				r.declined = true
				return
			}
			joined = true
		case r.data[end] == '\\':
			r.out = appendText(r.out, r.data[i:end])
			i = r.escape(end + 1)
			if r.declined {
				return
			}
			continue
		case quote == '\'' && end+1 < r.end && r.data[end+1] == '\'':
			r.out = append(appendText(r.out, r.data[i:end]), '\'')
			i = end + 2
			continue
		default:
			r.out = append(appendText(r.out, r.data[i:end]), '"')
			if !r.alone(end + 1) {
				r.declined = true
				return
			}
			r.advance()
			return
		}
		r.out = appendText(r.out, r.data[i:end])
		empty, ok := r.continuation(col)
		if !ok {
			r.declined = true
			return
		}
		if joined {
			r.feeds(empty)
		} else {
			r.fold(empty)
		}
		i = r.start
	}
}

// escape writes the character that is escaped at i, after the backslash, in double quotes, and returns the index after
// it.
func (r *YAML) escape(i int) int {
	switch c := r.data[i]; c {
	case 'n', 't', 'r', 'b', 'f', '"', '\\':
		r.out = append(r.out, '\\', c)
	case ' ', '\'':
		r.out = append(r.out, c)
	default:
		r.declined = true
	}
	return i + 1
}

// literal reads a literal block scalar, whose header begins at i.
func (r *YAML) literal(i, col int) {
	chomp := byte(0)
	if i++; i < r.end && (r.data[i] == '-' || r.data[i] == '+') {
		chomp = r.data[i]
		i++
	}
	if !r.alone(i) {
		r.declined = true
		return
	}

	r.out = append(r.out, '"')
	indent := 0 // unknown yet
	widest := 0 // of the empty lines before that
	empty := 0  // lines before this one
	for r.next < len(r.data) {
		begin := r.next
		start := begin
		for (indent == 0 || start-begin < indent) && r.at(start) == ' ' {
			start++
		}
		if r.at(start) == '\n' && start < len(r.data) {
			widest = max(widest, start-begin)
			empty++
			r.next = start + 1
			continue
		}
		if r.at(start) == '\t' && (indent == 0 || start-begin < indent) {
			r.declined = true
			return
		}
		if indent == 0 {
			if start-begin <= col || widest > start-begin {
				break // declined below
			}
			indent = start - begin
			r.feeds(empty)
		} else if start-begin < indent {
			break
		} else {
			r.feeds(empty + 1)
		}
		empty = 0
		end := r.lineEnd(start)
		if end == len(r.data) { // no final line feed
			r.declined = true
			return
		}
		r.out = appendText(r.out, r.data[start:end])
		r.next = end + 1
	}
	if indent == 0 {
		r.declined = true
		return
	}
	switch chomp {
	case '+':
		r.feeds(empty + 1)
	case 0:
		r.feeds(1)
	}
	r.out = append(r.out, '"')
	r.advance()
}

// appendText appends text to a JSON string.
//
//go:noinline
func appendText(out, text []byte) []byte {
	from := 0
	for i, c := range text {
		switch c {
		case '"', '\\':
			out = append(append(out, text[from:i]...), '\\')
			from = i
		case '\t':
			out = append(append(out, text[from:i]...), '\\', 't')
			from = i + 1
		}
	}
	return append(out, text[from:]...)
}
