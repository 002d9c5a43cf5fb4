package field

import (
	"encoding/json"
	"fmt"
)

// The reasons of refusals in a Status.
const (
	ReasonInvalid               = "Invalid"               // 422
	ReasonBadRequest            = "BadRequest"            // 400
	ReasonUnauthorized          = "Unauthorized"          // 401
	ReasonForbidden             = "Forbidden"             // 403
	ReasonNotFound              = "NotFound"              // 404
	ReasonMethodNotAllowed      = "MethodNotAllowed"      // 405
	ReasonNotAcceptable         = "NotAcceptable"         // 406
	ReasonConflict              = "Conflict"              // 409
	ReasonAlreadyExists         = "AlreadyExists"         // 409
	ReasonExpired               = "Expired"               // 410
	ReasonRequestEntityTooLarge = "RequestEntityTooLarge" // 413
	ReasonUnsupportedMediaType  = "UnsupportedMediaType"  // 415
	ReasonTooManyRequests       = "TooManyRequests"       // 429
	ReasonInternalError         = "InternalError"         // 500
	ReasonServerTimeout         = "ServerTimeout"         // 500
	ReasonServiceUnavailable    = "ServiceUnavailable"    // 503
	ReasonTimeout               = "Timeout"               // 504
)

// A Status is an API server's answer to a request that it refused. It marshals as a meta/v1 Status, and is an error.
// With a Code below 300 it is the answer to a successful request that returns no object, such as a deletion.
type Status struct {
	Code    int    // the HTTP status code: 422 for a List
	Reason  string // a word for programs; empty if the server gives none
	Message string

	Group, Kind, Name string // of the object concerned; Kind is the resource's plural if the request was about that
	UID               string // of the object, after its deletion
	Causes            []Cause
	RetryAfterSeconds int // seconds until a retry; a server also sends it as the header Retry-After. 0: none
}

// A Cause is one of the errors behind a Status.
type Cause struct {
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
	s := &Status{Code: 422, Reason: ReasonInvalid, Group: group, Kind: kind, Name: name}
	qualified := kind
	if group != "" {
		qualified += "." + group
	}
	s.Message = fmt.Sprintf("%s %q is invalid", qualified, name)
	if len(l) > 0 {
		s.Message += ": " + l.String()
	}
	for _, e := range l {
		s.Causes = append(s.Causes, e.cause())
	}
	return s
}

// MarshalJSON writes s as a Status of version v1, with the fields that a server writes. They do not include the code of
// a success.
func (s Status) MarshalJSON() ([]byte, error) {
	type details struct {
		Name              string  `json:"name,omitempty"`
		Group             string  `json:"group,omitempty"`
		Kind              string  `json:"kind,omitempty"`
		UID               string  `json:"uid,omitempty"`
		Causes            []Cause `json:"causes,omitempty"`
		RetryAfterSeconds int     `json:"retryAfterSeconds,omitempty"`
	}
	out := struct {
		Kind       string   `json:"kind"`
		APIVersion string   `json:"apiVersion"`
		Metadata   struct{} `json:"metadata"`
		Status     string   `json:"status"`
		Message    string   `json:"message,omitempty"`
		Reason     string   `json:"reason,omitempty"`
		Details    *details `json:"details,omitempty"`
		Code       *int     `json:"code,omitempty"`
	}{Kind: "Status", APIVersion: "v1", Status: "Failure", Message: s.Message, Reason: s.Reason, Code: &s.Code}
	if 200 <= s.Code && s.Code < 300 {
		out.Status, out.Code = "Success", nil
	}
	d := details{s.Name, s.Group, s.Kind, s.UID, s.Causes, s.RetryAfterSeconds}
	if s.Reason == ReasonInvalid || // Invalid has details even if they are empty
		d.Name != "" || d.Group != "" || d.Kind != "" || d.UID != "" || len(d.Causes) > 0 || d.RetryAfterSeconds != 0 {
		out.Details = &d
	}
	return json.Marshal(out)
}
