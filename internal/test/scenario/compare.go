package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// selfType is the name of self's type in the errors of rules, with the number that a server draws.
var selfType = regexp.MustCompile(`selfType\d+`)

// Members of metadata that a server draws, in the value that an error prints.
var (
	drawnLater = regexp.MustCompile(`,\\+"(creationTimestamp|uid|resourceVersion|time)\\+":\\+"[^"\\]*\\+"`)
	drawnFirst = regexp.MustCompile(`\\+"(creationTimestamp|uid|resourceVersion|time)\\+":\\+"[^"\\]*\\+",?`)
)

// What a server drew or counted before, in the refusals of a wrong uid and of a stored object that cannot be decoded.
var (
	uidOfStored      = regexp.MustCompile(`UID in object meta: [0-9a-f-]{36}`)
	revisionOfStored = regexp.MustCompile(`not decodable revision=\d+`)
)

// answerOf returns the answer without what is random in it.
func answerOf(code int, warnings []string, body []byte) Answer {
	body = selfType.ReplaceAll(body, []byte("selfType"))
	body = uidOfStored.ReplaceAll(body, []byte("UID in object meta: "))
	body = revisionOfStored.ReplaceAll(body, []byte("not decodable revision="))
	if code == http.StatusUnprocessableEntity {
		body = drawnFirst.ReplaceAll(drawnLater.ReplaceAll(body, nil), nil)
	}
	slices.Sort(warnings)
	a := Answer{Code: code, Warnings: slices.Compact(warnings)}
	v, err := decode(body)
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		a.Body, _ = json.Marshal(string(body))
		return a
	}
	switch m["kind"] {
	case "Status":
		sortCauses(m)
	case "Table":
		withoutAges(m)
	default:
		withoutRandom(m)
		items, _ := m["items"].([]any)
		for _, item := range items {
			if object, ok := item.(map[string]any); ok {
				withoutRandom(object)
			}
		}
		if m["kind"] == "CustomResourceDefinition" && m["apiVersion"] == "apiextensions.k8s.io/v1" {
			condition := terminating(m["status"])
			delete(m, "status")
			if condition != nil {
				m["status"] = condition
			}
			meta, _ := m["metadata"].(map[string]any)
			delete(meta, "managedFields")
		}
	}
	a.Body = encode(m)
	return a
}

func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// withoutRandom removes what a server draws or counts from an object's metadata.
func withoutRandom(m map[string]any) {
	meta, _ := m["metadata"].(map[string]any)
	for _, k := range []string{"uid", "creationTimestamp", "deletionTimestamp", "resourceVersion"} {
		delete(meta, k)
	}
	managers, _ := meta["managedFields"].([]any)
	for _, v := range managers {
		if manager, ok := v.(map[string]any); ok {
			delete(manager, "time")
		}
	}
}

// terminating returns the condition Terminating of a definition's status, without its time. The other parts of the status
// depend on when it is read.
func terminating(status any) any {
	m, _ := status.(map[string]any)
	conditions, _ := m["conditions"].([]any)
	for _, c := range conditions {
		if condition, ok := c.(map[string]any); ok && condition["type"] == "Terminating" {
			delete(condition, "lastTransitionTime")
			return condition
		}
	}
	return nil
}

// withoutAges removes the cells of date columns.
func withoutAges(table map[string]any) {
	delete(table, "metadata")
	columns, _ := table["columnDefinitions"].([]any)
	rows, _ := table["rows"].([]any)
	for _, r := range rows {
		row, _ := r.(map[string]any)
		cells, _ := row["cells"].([]any)
		for i := range cells {
			if i < len(columns) && columns[i].(map[string]any)["type"] == "date" {
				cells[i] = nil
			}
		}
		if object, ok := row["object"].(map[string]any); ok {
			withoutRandom(object)
		}
	}
	for _, c := range columns { // a server's own description of its own columns
		delete(c.(map[string]any), "description")
	}
}

// sortCauses sorts the causes of a refusal, and removes the list of them from its message.
func sortCauses(status map[string]any) {
	details, _ := status["details"].(map[string]any)
	delete(details, "uid")
	if text, ok := status["message"].(string); ok && strings.Contains(text, "errors:\n") { // of typed objects, in random order
		lines := strings.Split(text, "\n")
		slices.Sort(lines[1:])
		status["message"] = strings.Join(lines, "\n")
	}
	causes, _ := details["causes"].([]any)
	if len(causes) < 2 {
		return
	}
	slices.SortFunc(causes, func(a, b any) int { return bytes.Compare(encode(a), encode(b)) })
	if text, ok := status["message"].(string); ok {
		before, _, _ := strings.Cut(text, ": ")
		status["message"] = before
	}
}

// Aspects are what is compared of an answer.
var Aspects = []string{"verdict", "object", "error types", "error fields", "error texts", "warnings"}

// A Result is what the comparison of two answers found about one aspect.
type Result struct {
	Aspect     string
	Difference string // or empty
}

// Compare compares an answer to r with the one that is wanted, aspect by aspect.
func Compare(r Request, want, got Answer) []Result {
	if want.Code == http.StatusInternalServerError && bytes.Contains(want.Body, []byte("no Items field in this object")) {
		return nil // a deliberate difference: an object with a list named items is an object here
	}
	if want.Code != got.Code {
		return []Result{{"verdict", fmt.Sprintf("want %d %s\ngot  %d %s", want.Code, want.Body, got.Code, got.Body)}}
	}
	results := []Result{{Aspect: "verdict"}}
	switch {
	case want.Code < 300:
		results = append(results, Result{"object", unequal(string(want.Body), string(got.Body))})
	case want.Code == http.StatusBadRequest && strings.HasPrefix(r.Path, definitions):
		// The texts of Go's decoder are not ours.
	default:
		results = append(results, refusals(want.Body, got.Body)...)
	}
	if len(want.Warnings)+len(got.Warnings) > 0 {
		results = append(results, Result{"warnings", warned(want.Warnings, got.Warnings)})
	}
	return results
}

func unequal(want, got string) string {
	if want == got {
		return ""
	}
	return "want " + want + "\ngot  " + got
}

// refusals compares the causes of refusals by type, field and text, and everything else as text.
func refusals(want, got []byte) []Result {
	w, g := causes(want), causes(got)
	var results []Result
	for n, aspect := range []string{"error types", "error fields"} {
		wn, gn := firsts(w, n+1), firsts(g, n+1)
		results = append(results, Result{aspect, unequal(strings.Join(wn, "\n"), strings.Join(gn, "\n"))})
		if results[n].Difference != "" {
			return results
		}
	}
	return append(results, Result{"error texts", unequal(string(want), string(got))})
}

type cause struct{ Reason, Field, Message string }

func causes(body []byte) []cause {
	var status struct {
		Reason  string
		Details struct{ Causes []cause }
	}
	if json.Unmarshal(body, &status) != nil || len(status.Details.Causes) == 0 {
		return []cause{{Reason: status.Reason}}
	}
	return status.Details.Causes
}

// firsts returns the first n parts of each cause, sorted.
func firsts(all []cause, n int) []string {
	var texts []string
	for _, c := range all {
		texts = append(texts, strings.Join([]string{c.Reason, c.Field, c.Message}[:n], " "))
	}
	slices.Sort(texts)
	return texts
}

// warned compares warnings. A server that has sent 4096 characters of them sends no more, and which ones it leaves out is
// random.
func warned(want, got []string) string {
	if len(strings.Join(want, "")) >= 4096 || len(strings.Join(got, "")) >= 4096 {
		return ""
	}
	return unequal(strings.Join(want, "\n"), strings.Join(got, "\n"))
}
