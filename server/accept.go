package server

import (
	"net/http"
	"slices"
	"strings"
)

// This file decides whether the client accepts an answer.

// The media types that routes of built-in kinds have besides those of objects.
const (
	textType       = "text/plain"
	jsonStream     = jsonType + ";stream=watch"
	protobufStream = protobufType + ";stream=watch"
)

// accepted reports whether the client accepts an answer of the path's handler, which may be a stream of events. If not,
// it refuses the request. For built-in kinds, the router refuses some requests before the handler would, and the handler
// warns of deprecated kinds before it refuses others.
func (q *request) accepted(streams bool) bool {
	if q.kind == nil || q.kind.BuiltIn {
		produces := []string{jsonType, yamlType, protobufType}
		if streams {
			produces = append(produces, jsonStream, protobufStream)
		}
		if !q.takes(produces...) {
			return false
		}
		if q.kind != nil && q.kind.Deprecation != "" && q.s.minor >= q.kind.DeprecatedIn {
			q.warnings = append(q.warnings, q.kind.Deprecation)
		}
	}
	if q.unfit != nil {
		q.refuse(failed(q.unfit))
		return false
	}
	return true
}

// takes reports whether the client accepts one of the media types of a route. If not, it answers the request. Unlike a
// handler, the router ignores all parameters, and knows no patterns but */*.
func (q *request) takes(produces ...string) bool {
	accept := q.r.Header.Get("Accept")
	if accept == "" {
		return true
	}
	for clause := range strings.SplitSeq(accept, ",") {
		media, _, _ := strings.Cut(clause, ";")
		if media = strings.TrimSpace(media); media == "*/*" || slices.Contains(produces, media) {
			return true
		}
	}
	q.noRoute(http.StatusNotAcceptable, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: "+strings.Join(produces, ", "))
	return false
}

// fitsObject refuses a form that the object does not have.
func (q *request) fitsObject(obj map[string]any) error {
	switch {
	case !q.kind.BuiltIn:
		return q.form.FitsObject(obj)
	case q.sub == "scale":
		return q.form.FitsType("*autoscaling.Scale", false)
	}
	return q.form.FitsType(q.kind.GoType(), false)
}

// fitsList refuses a form that a list does not have.
func (q *request) fitsList() error {
	if q.kind.BuiltIn {
		return q.form.FitsType(q.kind.GoType(), true)
	}
	return q.form.Fits(true)
}
