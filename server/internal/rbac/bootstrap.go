package rbac

import _ "embed"

// Bootstrap has the roles and bindings that every server creates, one in each line, in JSON. A program in
// parity/defaults writes the file.
//
//go:embed bootstrap.jsonl
var Bootstrap []byte

// Everything are rules that allow everything.
var Everything = []Rule{
	{Verbs: []string{all}, APIGroups: []string{all}, Resources: []string{all}},
	{Verbs: []string{all}, NonResourceURLs: []string{all}},
}
