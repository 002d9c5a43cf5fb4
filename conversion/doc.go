// Package conversion takes custom objects from one version of their definition to another, as a server does: by itself with the
// strategy None, and with the strategy Webhook by asking others and checking what they answer.
//
//	d, err := conversion.Compile(definition)
//	v2, err := d.Convert(ctx, nil, obj, "example.com/v2")       // strategy None: the apiVersion changes, nothing else
//	v2, err = d.Convert(ctx, converter, obj, "example.com/v2") // a Go function converts, with all checks on what it returns
//
// Nothing here does HTTP. For a webhook, one function writes the request and one reads the response:
//
//	review, err := d.Review(uid, obj, "example.com/v2")
//	if review.Needed() {
//		body, _ := json.Marshal(review)
//		response, err = post(body) // of err: review.Failed(err)
//	}
//	v2, err := review.Apply(response)
//
// or [Definition.Webhook], which makes a [Converter] of a function that posts. [Respond] is the other side: a webhook's answer to a
// review.
//
// # Steps
//
// [Definition.Convert] and [Definition.Review] begin with the same checks: both versions have to be the definition's. An object that
// has the version already, and one that consists of its apiVersion and kind, are not given to anybody. [Definition.ConvertList] and
// [Definition.ReviewList] are the same for a list, of which only the items of other versions are given away, all at once. What
// comes back is checked object by object, in order; the first that is wrong decides. Of an object's metadata only labels and
// annotations may change: all else is put back as it was, silently.
//
// Converting is one step of a request. Before it a server fills in the defaults of the version that it comes from, after it
// it prunes by the schema of the one that it goes to (CNV-001, CNV-002): package resource does that.
//
// # Values
//
// Objects are what JSON decoding gives: nil, bool, int64, float64, string, []any, map[string]any. Numbers of other Go types are
// turned into these where objects are given away and come back; any other Go type, and a value that is too deep or contains itself,
// is refused there. The strategy None does not look into objects.
//
// # Mutation and aliasing
//
// No function modifies its arguments. A [Converter] gets deep copies, and may keep and change them. A result shares unchanged parts
// with the argument, and with what the Converter returned. With nothing to convert it is the argument itself.
//
// # Errors
//
// A refusal is the server's answer to a write: code 500, no reason, and the server's text byte for byte. For a read a server wraps
// the same text in one about its storage (CNV-033), which is not made here.
//
// # Concurrency
//
// A [Definition] and a [Review] are immutable, and safe for concurrent use by multiple goroutines. A Converter has to be, if
// it is used so.
//
// # Security considerations
//
// Answers may come from anybody. They cannot cause a panic, and a refusal has at most 3 MiB of text. How
// long a response may be is the affair of the caller who reads it: a server has no limit of its own.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the family CNV: docs/behaviour.md in the repository lists them with
// their tests. Deliberately different:
//
//   - Where several labels or annotations are wrong, the errors are sorted by key. The server's order is random.
//   - An object without a kind stays without one. The strategy None of a server gives it an empty one, but none gets that far.
//   - A response in protobuf is no response here. One that is of a kind that a server knows, but neither a ConversionReview nor a Status,
//     is called unknown.
//   - A response that is empty is said to have come with status code 200 and content type application/json.
package conversion
