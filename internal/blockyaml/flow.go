package blockyaml

// Collections in braces and brackets that end in the line in which they begin, with simple scalars in them.

// flow reads the collection that begins at i, and advances to the next line.
func (r *Reader) flow(i int) {
	end := r.flowCollection(i)
	if r.declined {
		return
	}
	if !r.alone(end) {
		r.declined = true
		return
	}
	r.advance()
}

// flowCollection reads the collection that begins at i, and returns the index after it.
func (r *Reader) flowCollection(i int) int {
	opening := r.data[i]
	closing := opening + 2 // in ASCII, for both kinds
	if r.depth++; r.depth > maxDepth {
		r.declined = true
	}
	r.out = append(r.out, opening)
	i = r.skipSpaces(i + 1)
	for first := true; !r.declined; first = false {
		switch {
		case i >= r.end:
			r.declined = true
			return i
		case first && r.data[i] == closing:
		case first:
			i = r.flowEntry(i, opening == '{')
			continue
		case r.data[i] == ',':
			r.out = append(r.out, ',')
			i = r.flowEntry(r.skipSpaces(i+1), opening == '{')
			continue
		case r.data[i] != closing:
			r.declined = true
			return i
		}
		r.depth--
		r.out = append(r.out, closing)
		return i + 1
	}
	return i
}

// flowEntry reads an element of a collection, which begins at i, with a leading key if keyed is set. It returns the
// index of what follows.
func (r *Reader) flowEntry(i int, keyed bool) int {
	if keyed {
		if i >= r.end {
			r.declined = true
			return i
		}
		colon := r.keyEnd(i)
		if colon == 0 {
			r.declined = true
			return i
		}
		r.key(i, colon)
		i = r.skipSpaces(colon + 1)
	}
	if i >= r.end {
		r.declined = true
		return i
	}
	switch c := r.data[i]; c {
	case '{', '[':
		i = r.flowCollection(i)
	case '"', '\'':
		i = r.flowQuoted(i)
	default:
		i = r.flowPlain(i)
	}
	return r.skipSpaces(i)
}

// flowQuoted reads a quoted scalar, which begins at i, and returns the index after it.
func (r *Reader) flowQuoted(i int) int {
	quote := r.data[i]
	r.out = append(r.out, '"')
	for from := i + 1; !r.declined; {
		end := from
		for end < r.end && r.data[end] != quote && r.data[end] != '\\' && r.data[end] != '\t' {
			end++
		}
		if end >= r.end || r.data[end] == '\t' {
			break
		}
		r.out = appendText(r.out, r.data[from:end])
		switch {
		case r.data[end] == quote && quote == '\'' && r.at(end+1) == '\'':
			r.out = append(r.out, '\'')
			from = end + 2
		case r.data[end] == quote:
			r.out = append(r.out, '"')
			return end + 1
		case quote == '\'':
			r.out = append(r.out, '\\', '\\')
			from = end + 1
		case end+1 < r.end:
			from = r.escape(end + 1)
		default:
			r.declined = true
		}
	}
	r.declined = true
	return i
}

// flowPlain reads a plain scalar, which begins at i, and returns the index after it. Its first byte is one that may
// begin a key.
func (r *Reader) flowPlain(i int) int {
	if c := r.data[i]; !keyBytes[c] || c == '-' && !keyBytes[r.at(i+1)] {
		r.declined = true
		return i
	}
	end := i
	for end < r.end {
		c := r.data[end]
		if colon := c == ':' && end+1 < r.end && (keyBytes[r.data[end+1]] || r.data[end+1] == ':'); !colon && endsFlow[c] {
			break
		}
		end++
	}
	if end >= r.end {
		r.declined = true
		return i
	}
	scalar := r.data[i:r.trimSpaces(i, end)]
	if meaning := resolve(scalar); meaning != text {
		r.write(meaning, scalar)
		return end
	}
	r.out = append(appendText(append(r.out, '"'), scalar), '"')
	return end
}

// endsFlow has the bytes that end a plain scalar, or may have a special meaning in it.
var endsFlow = func() (set [256]bool) {
	for _, c := range []byte(",:?[]{}#\t") {
		set[c] = true
	}
	return set
}()
