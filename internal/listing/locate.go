package listing

import (
	"strconv"
	"strings"
)

// Line returns the line of a path in a document, counted from 1: that of the last step that could be found. It reads YAML in block style, as
// generators write it, line by line. For a path into something else (a flow mapping, JSON) it returns the line where that begins, or 0.
// Steps are keys, and indexes as numbers.
func Line(text string, steps []string) int {
	lines := strings.Split(text, "\n")
	from, to, indent, found := 0, len(lines), 0, 0
	for _, step := range steps {
		at, inner := child(lines, from, to, indent, step)
		if at < 0 {
			break
		}
		found = at + 1
		from, to, indent = inside(lines, at, to, inner)
		if from < 0 {
			break
		}
	}
	return found
}

// child returns the line, from from up to to, of a key or an item in the block with that indentation, and the indentation of the text after a
// dash (-1 if there is none).
func child(lines []string, from, to, indent int, step string) (line, inner int) {
	index, err := strconv.Atoi(step)
	items := -1
	for i := from; i < to; i++ {
		s := lines[i]
		body := strings.TrimLeft(s, " ")
		if body == "" || body[0] == '#' || strings.HasPrefix(s, "---") {
			continue
		}
		at := len(s) - len(body)
		if at < indent && !(i == from && at == 0) {
			continue
		}
		dash := body == "-" || strings.HasPrefix(body, "- ")
		switch {
		case at > indent:
			continue
		case dash:
			if items++; err == nil && items == index {
				rest := strings.TrimLeft(body[1:], " ")
				return i, at + len(body) - len(rest)
			}
		case keyOf(body) == step:
			return i, -1
		}
	}
	return -1, -1
}

// keyOf returns the key at the beginning of a line.
func keyOf(body string) string {
	if body != "" && (body[0] == '"' || body[0] == '\'') {
		if end := strings.IndexByte(body[1:], body[0]); end >= 0 {
			return body[1 : end+1]
		}
		return ""
	}
	if i := strings.Index(body+" ", ": "); i > 0 {
		return body[:i]
	}
	return strings.TrimSuffix(body, ":")
}

// inside returns the lines of the value at a line, and their indentation. The first line of an item is part of it: its dash counts as a blank.
func inside(lines []string, at, to, inner int) (from, end, indent int) {
	own := len(lines[at]) - len(strings.TrimLeft(lines[at], " "))
	from, indent = at+1, inner
	if inner >= 0 {
		lines[at] = strings.Repeat(" ", inner) + lines[at][min(inner, len(lines[at])):]
		from = at
		if strings.TrimSpace(lines[at]) == "" {
			from, indent = at+1, -1
		}
	}
	if indent < 0 {
		for i := from; i < to; i++ {
			body := strings.TrimLeft(lines[i], " ")
			if body == "" || body[0] == '#' {
				continue
			}
			indent = len(lines[i]) - len(body)
			// The items of a list may have the indentation of their key.
			if indent < own || indent == own && body[0] != '-' {
				return -1, 0, 0
			}
			break
		}
	}
	for end = from; end < to; end++ {
		body := strings.TrimLeft(lines[end], " ")
		if body == "" || body[0] == '#' || end == at {
			continue
		}
		if n := len(lines[end]) - len(body); n < indent || n == indent && indent == own && body[0] != '-' {
			break
		}
	}
	return from, end, indent
}
