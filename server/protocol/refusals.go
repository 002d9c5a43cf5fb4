package protocol

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
)

// NotAcceptable is 406: the client accepts none of the media types that the server has. [NegotiateObject] and
// [NegotiateDiscovery] check this.
func NotAcceptable(has ...string) *field.Status {
	return notAcceptable("only the following media types are accepted: " + strings.Join(has, ", "))
}

func notAcceptable(message string) *field.Status {
	return &field.Status{Code: 406, Reason: "NotAcceptable", Message: message}
}

// TooNew is 504: a list or a watch asks for a resource version that the server did not reach in time.
func TooNew(resourceVersion, current uint64) *field.Status {
	return &field.Status{
		Code: 504, Reason: refusal.ReasonTimeout,
		Message:           fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", resourceVersion, current),
		Causes:            []field.StatusCause{{Reason: "ResourceVersionTooLarge", Message: "Too large resource version"}},
		RetryAfterSeconds: 1,
	}
}

// MaxBody is the maximum length of the body of a write in bytes: 3 MiB.
const MaxBody = refusal.MaxBody

// Internal is 500 for an error that is the server's fault. The error must not be nil.
func Internal(err error) *field.Status { return refusal.Internal(err) }

// DryRun parses the values of a request's option dryRun. Any value except All is an error, for [OptionsStatus].
func DryRun(values []string) (dryRun bool, errs field.List) {
	for _, v := range values {
		if v != "All" {
			list := make([]any, len(values))
			for i := range values {
				list[i] = values[i]
			}
			return false, field.List{field.NotSupported(field.NewPath("dryRun"), list, "All")}
		}
	}
	return len(values) > 0, nil
}

// OptionsStatus is 422: invalid options of a request. The kind is CreateOptions, UpdateOptions, PatchOptions,
// DeleteOptions or ListOptions.
func OptionsStatus(kind string, errs field.List) *field.Status {
	return refusal.Options(kind, errs)
}
