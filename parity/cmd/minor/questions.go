package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/parity/gen"
)

// A question is what the programs are asked.
type question struct {
	Kind       string         `json:"kind"` // definition or object; an object with an old one is an update
	Definition map[string]any `json:"definition"`
	Version    string         `json:"version,omitempty"`
	Object     any            `json:"object,omitempty"`
	Old        any            `json:"old,omitempty"`

	size int // of its JSON
}

// allQuestions returns generated questions, those about the definitions in files, and recorded ones.
func allQuestions(o options) ([]*question, error) {
	all := generated(o.seed, o.n)
	found, err := inFiles(o.definition)
	if err != nil {
		return nil, err
	}
	all = append(all, found...)
	if found, err = recorded(o.recorded); err != nil {
		return nil, err
	}
	all = append(all, found...)
	for _, q := range all {
		text, err := json.Marshal(q)
		if err != nil {
			return nil, err
		}
		q.size = len(text)
	}
	return all, nil
}

// generated returns questions about n random definitions with rules, with objects and updates of each, and about as
// many definitions of other forms.
func generated(seed uint64, n int) []*question {
	var all []*question
	for i := range n {
		s := gen.Seeded(seed, uint64(i))
		p := gen.RuledSchema(s)
		gen.AddRules(s, p, 4)
		d := gen.DefinitionV1(s, p)
		all = append(all, &question{Kind: "definition", Definition: d}, &question{Kind: "definition", Definition: gen.Definition(s)})
		for range 2 {
			request := gen.Ruled{Source: s, Odd: gen.Pick(s, []int{100, 30})}.Request(p, false)
			all = append(all, &question{Kind: "object", Definition: d, Version: "v1", Object: request["object"], Old: request["old"]})
		}
	}
	return all
}

// inFiles returns questions about the definitions in the YAML files below dir, whole files and parts of txtar archives.
func inFiles(dir string) ([]*question, error) {
	var all []*question
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch filepath.Ext(name) {
		case ".yaml", ".txtar":
		default:
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, document := range documents(string(text)) {
			var d map[string]any
			if yaml.Unmarshal([]byte(document), &d) == nil && d["kind"] == "CustomResourceDefinition" {
				all = append(all, &question{Kind: "definition", Definition: d})
			}
		}
		return nil
	})
	return all, err
}

// documents returns the parts of a text between the separators of YAML and of txtar.
func documents(text string) []string {
	var all []string
	var part strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "-- ") {
			all = append(all, part.String())
			part.Reset()
			continue
		}
		part.WriteString(line)
	}
	return append(all, part.String())
}

// recorded returns the questions of recorded answers, if dir exists: definitions, and requests for objects.
func recorded(dir string) ([]*question, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []*question
	for _, pattern := range []string{"versions/*.jsonl", "next/*.jsonl", "minors/*.jsonl"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			found, err := recordedIn(file)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

func recordedIn(file string) ([]*question, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	definitions := map[string]map[string]any{} // by file
	var all []*question
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var row struct {
			CRD                json.RawMessage `json:"crd"`
			Version, Operation string
			Op                 string `json:"op"`
			Object, Old        any
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, err
		}
		var name string
		if json.Unmarshal(row.CRD, &name) != nil {
			var d map[string]any
			if json.Unmarshal(row.CRD, &d) == nil {
				all = append(all, &question{Kind: "definition", Definition: d})
			}
			continue
		}
		if row.Op != "create" && row.Op != "update" {
			continue
		}
		if definitions[name] == nil {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(file), name))
			if err != nil {
				return nil, err
			}
			var d map[string]any
			if err := yaml.Unmarshal(text, &d); err != nil {
				return nil, err
			}
			definitions[name] = d
			all = append(all, &question{Kind: "definition", Definition: d})
		}
		all = append(all, &question{Kind: "object", Definition: definitions[name], Version: row.Version, Object: row.Object, Old: row.Old})
	}
	return all, lines.Err()
}
