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
// Convert returns the objects as objects of apiVersion (example.com/v2), one for each and in the same order. It gets at
// least one object, and only objects of other versions of the same group; their versions may differ. They are copies:
// it may modify and return them. It must not default or validate. It may convert labels and annotations, but no other
// metadata. Its error refuses the request, with the text of the server's error for a webhook that failed with it.
type Converter interface {
	Convert(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error)
}

// A ConverterFunc is a function that implements [Converter].
type ConverterFunc func(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error)

// Convert calls f.
func (f ConverterFunc) Convert(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	return f(ctx, objects, apiVersion)
}

// None returns obj as an object of that apiVersion by the strategy None: nothing else changes, neither the kind nor the
// versions in its metadata. It checks nothing ([Definition.Convert] does), and does not modify obj. If obj already has
// the apiVersion, None returns obj itself and does not allocate. Otherwise the result is a shallow copy.
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

// Convert returns obj as an object of apiVersion (group/version), or refuses. If conv is nil, it applies the strategy
// None; if the strategy is Webhook, it refuses, unless there is nothing to convert. If conv is not nil, it is used with
// any strategy, and its result is checked like the response of a webhook.
//
// The error is a [*field.Status]. Refusals come in this order: versions (another group, an unknown version), the
// Converter's error, the number of returned objects, and then for each object its type, name, namespace, uid and
// metadata.
func (d *Definition) Convert(ctx context.Context, conv Converter, obj map[string]any, apiVersion string) (map[string]any, error) {
	return d.convert(ctx, conv, obj, false, apiVersion)
}

// ConvertList is [Definition.Convert] for a list: an object with items and an apiVersion, which must be one of the
// definition's. The Converter gets all items of other versions at once. An item that is not an object has an invalid
// version.
func (d *Definition) ConvertList(ctx context.Context, conv Converter, list map[string]any, apiVersion string) (map[string]any, error) {
	return d.convert(ctx, conv, list, true, apiVersion)
}

func (d *Definition) convert(ctx context.Context, conv Converter, in map[string]any, isList bool, apiVersion string) (map[string]any, error) {
	t, refused := d.task(in, isList, apiVersion)
	if refused != nil {
		return nil, refused
	}
	if t.typeOnly() || conv == nil && d.strategy == crd.ConversionNone {
		return t.none(), nil
	}
	hook, isHook := conv.(*webhook)
	if isHook && hook.version == "" {
		return nil, refuse(noReviewVersion) // a server checks this even if there is nothing to convert
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
		err = errors.New("no converter was given")
	default:
		answers, err = ask(ctx, conv, t.objects, t.target)
	}
	if err != nil {
		return nil, t.failed(err)
	}
	return t.apply(answers)
}

// ask passes copies of the objects to conv.
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
