package field

import (
	"encoding/json"
	"fmt"
)

// reasonInvalid is the reason of a List.
const reasonInvalid = "Invalid"

// A Status is an API server's answer to a request that it refused. It marshals as a meta/v1 Status, and is an error.
// With a Code below 300 it is the answer to a successful request that returns no object, such as a deletion.
type Status struct {
	Code int // the HTTP status code: 422 for a List
	// Reason is a word for programs, empty if the server gives none. The words are those of metav1.StatusReason:
	// Invalid (422), BadRequest (400), Unauthorized (401), Forbidden (403), NotFound (404), MethodNotAllowed (405),
	// NotAcceptable (406), Conflict and AlreadyExists (409), Expired (410), RequestEntityTooLarge (413),
	// UnsupportedMediaType (415), TooManyRequests (429), InternalError (500), ServiceUnavailable (503), Timeout (504).
	Reason  string
	Message string

	Group, Kind, Name string // of the object concerned; Kind is the resource's plural if the request was about that
	UID               string // of the object, after its deletion
	Causes            []StatusCause
	RetryAfterSeconds int // seconds until a retry; a server also sends it as the header Retry-After. 0: none
	// Continue is a token for the rest of a list that has expired, as it is now. Empty: none.
	Continue string
}

// A StatusCause is one of the errors behind a Status.
type StatusCause struct {
	Reason  string `json:"reason,omitempty"`  // an [ErrorType]
	Message string `json:"message,omitempty"` // an [Error.ErrorBody]
	Field   string `json:"field,omitempty"`
}

// Error returns the message.
func (s *Status) Error() string { return s.Message }

// Status returns a server's answer for the errors of l in the object of that group, kind and name: 422, reason Invalid.
// The message has each text once; the causes have all errors, in order. An empty group omits its dot. An empty list
// gives a message without errors.
func (l List) Status(group, kind, name string) *Status {
	s := &Status{Code: 422, Reason: reasonInvalid, Group: group, Kind: kind, Name: name}
	qualified := kind
	if group != "" {
		qualified += "." + group
	}
	s.Message = fmt.Sprintf("%s %q is invalid", qualified, name)
	if len(l) > 0 {
		s.Message += ": " + l.String()
	}
	for _, e := range l {
		s.Causes = append(s.Causes, e.statusCause())
	}
	return s
}

// MarshalJSON writes s as a Status of version v1, with the fields that a server writes. They do not include the code of
// a success.
func (s Status) MarshalJSON() ([]byte, error) {
	type details struct {
		Name              string        `json:"name,omitempty"`
		Group             string        `json:"group,omitempty"`
		Kind              string        `json:"kind,omitempty"`
		UID               string        `json:"uid,omitempty"`
		Causes            []StatusCause `json:"causes,omitempty"`
		RetryAfterSeconds int           `json:"retryAfterSeconds,omitempty"`
	}
	type metadata struct {
		Continue string `json:"continue,omitempty"`
	}
	out := struct {
		Kind       string   `json:"kind"`
		APIVersion string   `json:"apiVersion"`
		Metadata   metadata `json:"metadata"`
		Status     string   `json:"status"`
		Message    string   `json:"message,omitempty"`
		Reason     string   `json:"reason,omitempty"`
		Details    *details `json:"details,omitempty"`
		Code       *int     `json:"code,omitempty"`
	}{Metadata: metadata{s.Continue}, Kind: "Status", APIVersion: "v1", Status: "Failure", Message: s.Message, Reason: s.Reason, Code: &s.Code}
	if 200 <= s.Code && s.Code < 300 {
		out.Status, out.Code = "Success", nil
	}
	d := details{s.Name, s.Group, s.Kind, s.UID, s.Causes, s.RetryAfterSeconds}
	if s.Reason == reasonInvalid || // Invalid has details even if they are empty
		d.Name != "" || d.Group != "" || d.Kind != "" || d.UID != "" || len(d.Causes) > 0 || d.RetryAfterSeconds != 0 {
		out.Details = &d
	}
	return json.Marshal(out)
}
