package rbac

import (
	_ "embed"
	"iter"
	"strings"
)

//go:embed bootstrap.txt
var bootstrap string

// The file has these words for what is not known yet.
const (
	timeWord = "$TIME"
	uidWord  = "$UID"
)

// Bootstrap returns the roles and bindings that every server creates: their keys, RESOURCE/[NAMESPACE/]NAME, and their
// JSON, with a creation time and a uid of each one. A program in parity/defaults writes the file.
func Bootstrap(created string, uid func() string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for line := range strings.Lines(bootstrap) {
			key, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if !yield(key, []byte(strings.NewReplacer(timeWord, created, uidWord, uid()).Replace(text))) {
				return
			}
		}
	}
}

// Everything are rules that allow everything.
var Everything = []Rule{
	{Verbs: []string{all}, APIGroups: []string{all}, Resources: []string{all}},
	{Verbs: []string{all}, NonResourceURLs: []string{all}},
}
