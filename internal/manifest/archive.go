package manifest

import "strings"

// An Archive is several files in one text.
type Archive struct {
	Comment string // the text before the first file
	Files   []File
}

// A File is a file in an archive.
type File struct {
	Name string
	Text string // with a line break at its end, unless it is empty
	Line int    // of its first line in the archive, from 1
}

// ParseArchive returns the files of a text. Any text is an archive: one without a line `-- name --` is all comment. A last
// line without a line break gets one.
func ParseArchive(text string) *Archive {
	a := &Archive{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if !strings.HasSuffix(line, "\n") {
			line += "\n"
		}
		switch name, ok := marker(line); {
		case ok:
			a.Files = append(a.Files, File{Name: name, Line: number + 1})
		case len(a.Files) == 0:
			a.Comment += line
		default:
			f := &a.Files[len(a.Files)-1]
			f.Text += line
		}
	}
	return a
}

// marker returns the name in a line that begins a file.
func marker(line string) (string, bool) {
	line = strings.TrimRight(line, "\r\n")
	name, begins := strings.CutPrefix(line, "-- ")
	name, ends := strings.CutSuffix(name, " --")
	name = strings.TrimSpace(name)
	return name, begins && ends && name != ""
}

// File returns the first file of that name, or nil. It points into a.
func (a *Archive) File(name string) *File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	return nil
}

// Set sets the text of the file of that name, with a line break at its end. A missing file is added, unless the text is
// empty.
func (a *Archive) Set(name, text string) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if f := a.File(name); f != nil {
		f.Text = text
	} else if text != "" {
		a.Files = append(a.Files, File{Name: name, Text: text})
	}
}

// String returns the text of a, which ParseArchive reads back.
func (a *Archive) String() string {
	var b strings.Builder
	b.WriteString(a.Comment)
	for _, f := range a.Files {
		b.WriteString("-- " + f.Name + " --\n" + f.Text)
	}
	return b.String()
}
