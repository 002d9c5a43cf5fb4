package conversion

import (
	"context"
	"errors"
	"maps"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// A Converter converts objects in place of a webhook.
//
// Convert returns the objects as objects of apiVersion (example.com/v2), one for each and in the same order. It gets only objects of
// other versions of the same group, which need not all be of one version, and never none. They are copies: it may
// change and return them. It must not default or validate, and may convert labels and annotations, but no other metadata. Its error
// refuses the request: the text is that of the server's error for a webhook that failed so.
type Converter interface {
	Convert(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error)
}

// A ConverterFunc is a function as a [Converter].
type ConverterFunc func(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error)

// Convert calls f.
func (f ConverterFunc) Convert(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	return f(ctx, objects, apiVersion)
}

// None returns obj as an object of that apiVersion by the strategy None: nothing else changes, neither the kind nor what metadata
// says of versions. It checks nothing ([Definition.Convert] does), and does not modify obj. If obj has the apiVersion already, None
// returns obj itself and does not allocate; else the result shares all but the top with it.
func None(obj map[string]any, apiVersion string) map[string]any {
	if v, ok := obj["apiVersion"].(string); ok && v == apiVersion {
		return obj
	}
	out := maps.Clone(obj)
	if out == nil {
		out = map[string]any{}
	}
	out["apiVersion"] = apiVersion
	return out
}

var errNoConverter = errors.New("no converter was given")

// Convert returns obj as an object of apiVersion, group and version with a slash between, or refuses. If conv is nil, it does what
// the strategy None does; where the strategy is Webhook, that is a refusal, unless there is nothing to convert. A conv
// that is not nil is asked, whatever the strategy, and what it returns is checked as the answer of a webhook is.
//
// The error is a [*field.Status]. Refusals come in this order: the versions (of another group, unknown), the Converter's error, and of the objects that it returned
// their number, and then for each its type, name, namespace, uid and metadata.
func (d *Definition) Convert(ctx context.Context, conv Converter, obj map[string]any, apiVersion string) (map[string]any, error) {
	return d.convert(ctx, conv, obj, false, apiVersion)
}

// ConvertList is [Definition.Convert] for a list: an object with an apiVersion, which has to be one of the definition's, and items.
// The Converter gets all items of other versions at once. An item that is no object is one of an invalid version.
func (d *Definition) ConvertList(ctx context.Context, conv Converter, list map[string]any, apiVersion string) (map[string]any, error) {
	return d.convert(ctx, conv, list, true, apiVersion)
}

func (d *Definition) convert(ctx context.Context, conv Converter, in map[string]any, isList bool, apiVersion string) (map[string]any, error) {
	t, refused := d.task(in, isList, apiVersion)
	if refused != nil {
		return nil, refused
	}
	if t.bare() || conv == nil && d.strategy == crd.ConversionNone {
		return t.none(), nil
	}
	hook, isHook := conv.(*webhook)
	if isHook && hook.version == "" {
		return nil, refuse(noReviewVersion) // a server does not even look whether there is anything to ask for
	}
	if len(t.objects) == 0 {
		return t.with(nil), nil
	}
	if refused = t.normalize(); refused != nil {
		return nil, refused
	}
	var answers []answer
	var err error
	switch {
	case isHook:
		answers, err = hook.ask(ctx, t.objects, t.target)
	case conv == nil:
		err = errNoConverter
	default:
		answers, err = ask(ctx, conv, t.objects, t.target)
	}
	if err != nil {
		return nil, t.failed(err)
	}
	return t.apply(answers)
}

// ask gives copies of objects to conv.
func ask(ctx context.Context, conv Converter, objects []map[string]any, apiVersion string) ([]answer, error) {
	copies := make([]map[string]any, len(objects))
	for i, obj := range objects {
		copies[i] = jsonval.Clone(obj).(map[string]any)
	}
	converted, err := conv.Convert(ctx, copies, apiVersion)
	if err != nil {
		return nil, err
	}
	answers := make([]answer, len(converted))
	for i, obj := range converted {
		answers[i] = answerOf(obj)
	}
	return answers, nil
}
