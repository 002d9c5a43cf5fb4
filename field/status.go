package field

import (
	"encoding/json"
	"fmt"
)

// The reasons of the refusals that this module makes, as a Status has them.
const (
	ReasonInvalid              = "Invalid"              // 422
	ReasonBadRequest           = "BadRequest"           // 400
	ReasonNotFound             = "NotFound"             // 404
	ReasonConflict             = "Conflict"             // 409
	ReasonUnsupportedMediaType = "UnsupportedMediaType" // 415
	ReasonInternalError        = "InternalError"        // 500
)

// A Status is an API server's answer to a request that it refused. It marshals as a meta/v1 Status, and is an error.
type Status struct {
	Code    int    // of HTTP: 422 for a List
	Reason  string // one word for programs; empty where the server gives none
	Message string

	Group, Kind, Name string // of the object concerned
	Causes            []Cause
}

// A Cause is one of the errors behind a Status.
type Cause struct {
	Reason  string `json:"reason,omitempty"`  // an [ErrorType]
	Message string `json:"message,omitempty"` // an [Error.ErrorBody]
	Field   string `json:"field,omitempty"`
}

// Error returns the message.
func (s *Status) Error() string { return s.Message }

// Status returns the answer that a server gives for the errors of l in the object of that group, kind and name: 422, reason
// Invalid. The message has each text once, the causes are all there, in order. An empty group leaves out its dot; an empty
// list gives a message without errors.
//
// Clauses: GEN-006, EMD-006.
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

// MarshalJSON writes s as a Status of version v1, with the fields that a server's has.
func (s Status) MarshalJSON() ([]byte, error) {
	type details struct {
		Name   string  `json:"name,omitempty"`
		Group  string  `json:"group,omitempty"`
		Kind   string  `json:"kind,omitempty"`
		Causes []Cause `json:"causes,omitempty"`
	}
	out := struct {
		Kind       string   `json:"kind"`
		APIVersion string   `json:"apiVersion"`
		Metadata   struct{} `json:"metadata"`
		Status     string   `json:"status"`
		Message    string   `json:"message,omitempty"`
		Reason     string   `json:"reason,omitempty"`
		Details    *details `json:"details,omitempty"`
		Code       int      `json:"code"`
	}{Kind: "Status", APIVersion: "v1", Status: "Failure", Message: s.Message, Reason: s.Reason, Code: s.Code}
	if s.Name != "" || s.Group != "" || s.Kind != "" || len(s.Causes) > 0 {
		out.Details = &details{s.Name, s.Group, s.Kind, s.Causes}
	}
	return json.Marshal(out)
}
