// Package conversion converts custom objects from one version of their definition to another, as a server does: by
// itself with the strategy None, and with the strategy Webhook by sending them to a webhook and checking its response.
//
//	d, err := conversion.Compile(definition)
//	v2, err := d.Convert(ctx, nil, obj, "example.com/v2")       // strategy None: the apiVersion changes, nothing else
//	v2, err = d.Convert(ctx, converter, obj, "example.com/v2") // a Go function converts, and its result is checked
//
// This package does no HTTP: for a webhook, [Definition.Webhook] makes a [Converter] from a function that posts the
// request. [Respond] implements the other side: it answers a review as a webhook does.
//
// # Steps
//
// [Definition.Convert] first checks that the definition has both versions. It does not send an object that already has
// the target version, or one that has only an apiVersion and a kind. [Definition.ConvertList] does the same for a list:
// only the items of other versions are sent, all at once. Results are checked object by object, in order, up to the
// first error. Only labels and annotations may change in an object's metadata: all other metadata is silently restored.
//
// Conversion is one step of a request. Before it, a server applies the defaults of the source version. After it, the
// server prunes by the schema of the target version (CNV-001, CNV-002). Package resource does both.
//
// # Values
//
// Objects are the results of JSON decoding: nil, bool, int64, float64, string, []any, map[string]any. Numbers of other
// Go types are converted to these before objects are sent and after they return. Values of any other Go type, and
// values that are too deep or contain themselves, are refused. The strategy None does not examine objects.
//
// # Mutation and aliasing
//
// No function modifies its arguments. A [Converter] gets deep copies, and may retain and modify them. A result shares
// unchanged parts with the argument and with the Converter's result. If there is nothing to convert, the result is the
// argument itself.
//
// # Errors
//
// A refusal is the server's answer to a write: code 500, no reason, and the server's text byte for byte. For a read, and
// for the old object of an update, a server wraps the same text in another one (CNV-033); package resource does that.
//
// # Concurrency
//
// A [Definition] is immutable and safe for concurrent use by multiple goroutines. A Converter must be safe for
// concurrent use if it is used concurrently.
//
// # Security considerations
//
// Responses are untrusted input. They cannot cause a panic, and a refusal has at most 3 MiB of text. The caller who
// reads a response must limit its length: a server has no such limit.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family CNV: docs/internals/behaviour.md in the
// repository lists them with their tests. Deliberate differences:
//
//   - If several labels or annotations are wrong, the errors are sorted by key. The server's order is random.
//   - An object without a kind stays without one. A server's strategy None gives it an empty kind, but no such object
//     gets that far.
//   - A response in protobuf is not decoded. A response of a kind that a server knows, but neither a ConversionReview
//     nor a Status, is reported as unknown.
//   - An empty response is reported with status code 200 and content type application/json.
package conversion
