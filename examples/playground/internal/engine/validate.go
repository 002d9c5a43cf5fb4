package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A Validation has the response of a server to the texts.
type Validation struct {
	Definition *Side `json:"definition"`
	Object     *Side `json:"object"`
	Stored     *Side `json:"stored"`
	// Status is the output of kubectl for the object, with the warnings.
	Status string `json:"status,omitempty"`
	// Diff shows the differences between the object as sent and as stored. For a refused object, it is the object as
	// validated.
	Diff []Line `json:"diff,omitempty"`
	// More is true if Diff is too long and was cut.
	More bool `json:"more,omitempty"`
	// Forgiven are the errors of a create that the update does not have, because the values have not changed.
	Forgiven []string `json:"forgiven,omitempty"`
	// Cost is the cost of the rules. The budget is 10,000,000.
	Cost int64 `json:"cost,omitempty"`
}

func (e *Engine) validate(ctx context.Context, q *Question) (any, error) {
	d := e.definition(q.Definition)
	object, stored := read(q.Object), read(q.Stored)
	j := &Validation{Definition: d.done()}
	if object.body != nil {
		d.validate(ctx, j, object, stored)
	}
	j.Object, j.Stored = object.done(), stored.done()
	return j, nil
}

// validate validates an object, or an update of the stored one.
func (d *definition) validate(ctx context.Context, j *Validation, object, stored *text) {
	object.side.Verdict = verdictRefused
	if d.resource == nil {
		object.Say(finding.Note, "", "the object is validated once the definition is accepted")
		object.side.Verdict = verdictWaiting
		return
	}
	version, refusal := d.version(object.body)
	if refusal != "" {
		object.Say(finding.Error, finding.Refused, refusal)
		j.Status = "error: " + refusal
		return
	}
	obj, warnings, err := version.Decode(object.body)
	var result resource.Result
	var old map[string]any
	if err == nil {
		if stored.body != nil {
			old = d.old(ctx, stored)
		}
		if old != nil {
			result = version.Update(ctx, obj, old)
			j.Forgiven = forgiven(version.Create(ctx, obj), result)
		} else {
			result = version.Create(ctx, obj)
		}
	} else if !errors.As(err, &result.Failure) {
		result.Failure = &field.Status{Code: 500, Reason: "InternalError", Message: err.Error()}
	}
	result.Warnings = append(warnings, result.Warnings...)
	var root *plan.Node
	if version.Schema() != nil {
		root = plan.Root(version.Schema())
	}
	object.Result(root, &result, old != nil)
	j.Cost = result.Cost
	sent, err := unstructured.DecodeJSON(object.body)
	if err != nil {
		sent = nil
	}
	object.side.Name = nameOf(sent)
	j.Status = statusText(&result, sent, old)
	after := result.Object
	if result.Err() == nil {
		object.side.Verdict = verdictAccepted
		if result.Stored != nil {
			after = result.Stored
		}
	}
	if sent != nil && after != nil {
		j.Diff, j.More = diff(sent, after)
	}
}

// version returns the version of an object, or the reason why there is none.
func (d *definition) version(body []byte) (*resource.Version, string) {
	apiVersion, kind, err := objectmeta.DecodeType(body)
	if err != nil {
		return nil, err.Error()
	}
	group, name, ok := strings.Cut(apiVersion, "/")
	if !ok || group != d.crd.Spec.Group || kind != d.crd.Spec.Names.Kind || !d.crd.Serves(name) || d.resource.Version(name) == nil {
		want := d.crd.Spec.Names.Kind + " in " + d.crd.Spec.Group + "/" + servedVersion(d.crd)
		return nil, fmt.Sprintf("no matches for kind %q in version %q: the definition has %s", kind, apiVersion, want)
	}
	options := resource.RequestOptions{ContentType: "application/json"}
	if d.crd.Spec.Scope == crd.NamespaceScoped {
		options.Namespace = namespaceOf(body)
	}
	return d.resource.Version(name).With(options), ""
}

// servedVersion returns the name of a served version: the storage version, if it is served.
func servedVersion(d *crd.CustomResourceDefinition) string {
	if name, err := d.StorageVersion(); err == nil && d.Serves(name) {
		return name
	}
	for _, v := range d.Spec.Versions {
		if v.Served {
			return v.Name
		}
	}
	return ""
}

// namespaceOf returns the namespace of a request for an object: its own, or kubectl's default.
func namespaceOf(body []byte) string {
	var head struct {
		Metadata struct {
			Namespace any `json:"namespace"`
		} `json:"metadata"`
	}
	if json.Unmarshal(body, &head) == nil { // decoding the object reports the error
		if name, _ := head.Metadata.Namespace.(string); name != "" {
			return name
		}
	}
	return "default"
}

// old returns the stored object: the result of creating it or, if the create is refused, the object as entered.
func (d *definition) old(ctx context.Context, stored *text) map[string]any {
	version, refusal := d.version(stored.body)
	if refusal != "" {
		stored.Say(finding.Error, finding.Refused, refusal)
		return nil
	}
	stored.side.Verdict = verdictAccepted
	if obj, _, err := version.Decode(stored.body); err == nil {
		result := version.Create(ctx, obj)
		if result.Err() == nil {
			return result.Stored
		}
		for _, e := range result.Errors {
			if !e.RulesSkipped() {
				stored.Add(finding.Finding{Severity: finding.Note, Message: "a create would be refused today: " + e.Error(), Path: e.Field}, stored.locate().Of(e))
			}
		}
	}
	stored.side.Verdict = verdictRefused
	obj, err := unstructured.DecodeJSON(stored.body)
	if err != nil || obj == nil {
		stored.Unreadable(errors.New("this is no object"))
		return nil
	}
	if d.crd.Spec.Scope == crd.NamespaceScoped {
		meta, _ := obj["metadata"].(map[string]any)
		if meta = maps.Clone(meta); meta == nil {
			meta = map[string]any{}
		}
		if meta["namespace"] == nil {
			meta["namespace"] = namespaceOf(stored.body)
		}
		obj["metadata"] = meta
	}
	return obj
}

// forgiven returns the errors that only the create has.
func forgiven(create, update resource.Result) (texts []string) {
	for _, e := range create.Errors {
		same := func(u *field.Error) bool { return u.Field == e.Field && u.Error() == e.Error() }
		if !e.RulesSkipped() && !slices.ContainsFunc(update.Errors, same) && len(texts) < maxFindings {
			texts = append(texts, e.Error())
		}
	}
	if update.Failure != nil {
		return nil
	}
	return texts
}

func nameOf(obj map[string]any) string {
	meta, _ := obj["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if generate, _ := meta["generateName"].(string); name == "" && generate != "" {
		name = generate + "xxxxx"
	}
	return name
}

// statusText returns the output of kubectl.
func statusText(r *resource.Result, sent, old map[string]any) string {
	var b strings.Builder
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", w)
	}
	status := r.Status()
	switch {
	case status != nil && status.Reason == "Invalid":
		fmt.Fprintf(&b, "The %s %s is invalid: ", status.Kind, quoted(status.Name))
		var causes []string
		for _, c := range status.Causes {
			if text := c.Field + ": " + c.Message; !slices.Contains(causes, text) && len(causes) < maxFindings {
				causes = append(causes, text)
			}
		}
		if len(causes) == 1 {
			b.WriteString(causes[0])
		} else {
			for _, c := range causes {
				b.WriteString("\n* " + c)
			}
		}
	case status != nil:
		fmt.Fprintf(&b, "Error from server (%s): %s", status.Reason, status.Message)
	default:
		apiVersion, _ := sent["apiVersion"].(string)
		kind, _ := sent["kind"].(string)
		group, _, _ := strings.Cut(apiVersion, "/")
		done := "created"
		if old != nil {
			done = "configured"
			if reflect.DeepEqual(old, r.Stored) {
				done = "unchanged"
			}
		}
		fmt.Fprintf(&b, "%s.%s/%s %s", strings.ToLower(kind), group, nameOf(sent), done)
	}
	return b.String()
}
