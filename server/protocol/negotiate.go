package protocol

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
)

// The media types of responses.
const (
	jsonType = "application/json"
	yamlType = "application/yaml"
)

// The kinds that a client may request instead of an object or a list.
const (
	AsTable                     = "Table"
	AsPartialObjectMetadata     = "PartialObjectMetadata"
	AsPartialObjectMetadataList = "PartialObjectMetadataList"
	AsAPIGroupDiscoveryList     = "APIGroupDiscoveryList"
)

// The apiVersions for clients that request another form of an object: a Table, or only the metadata.
const (
	MetaV1      = refusal.MetaGroup + "/v1"
	MetaV1beta1 = refusal.MetaGroup + "/v1beta1"
)

// A Form is the form in which a client wants a response: its media type and its kind.
type Form struct {
	MediaType string // application/json or application/yaml
	// As is the kind of the response: "" for the object itself, or one of the constants whose names begin with As.
	// APIVersion is its version in that case.
	As, APIVersion string
}

// NegotiateObject returns the form of a response that is an object or a list, from the request's Accept header, or
// refuses the request (406, a [*field.Status]). A clause that cannot be satisfied is ignored if another one can.
func NegotiateObject(accept string) (Form, error) {
	return negotiate(accept, func(a Form) bool {
		switch a.As {
		case "":
			return a.APIVersion == ""
		case AsTable, AsPartialObjectMetadata, AsPartialObjectMetadataList:
			return a.APIVersion == MetaV1 || a.APIVersion == MetaV1beta1
		}
		return false
	})
}

// NegotiateDiscovery returns the form of a response to GET /api and below, and GET /apis and below. The apiVersions are
// those of aggregated discovery that the server supports there: [DiscoveryV2] for /api and /apis themselves, none
// elsewhere. An apiVersion that the client knows has priority over everything else. A 1.37 server refuses a client that
// knows only version v2beta1 and no other list (406, a [*field.Status]).
func NegotiateDiscovery(accept string, apiVersions ...string) (Form, error) {
	if accept != "" {
		a, refused := negotiate(accept, func(a Form) bool {
			return a.As == AsAPIGroupDiscoveryList && slices.Contains(apiVersions, a.APIVersion)
		})
		if refused == nil {
			return a, nil
		}
	}
	return negotiate(accept, func(a Form) bool { return a.As == "" && a.APIVersion == "" })
}

// NegotiateDocument returns the form of an OpenAPI document, from the request's Accept header: the first of the media
// types that the clause with the highest preference accepts, or "" if no clause accepts any. Parameters of clauses
// other than q are ignored (PV2-015).
func NegotiateDocument(accept string, mediaTypes ...string) string {
	if accept == "" {
		accept = "*/*"
	}
	for _, c := range acceptClauses(accept) {
		for _, media := range mediaTypes {
			kind, subtype, _ := strings.Cut(media, "/")
			if (c.kind == kind || c.kind == "*") && (c.subtype == subtype || c.subtype == "*") {
				return media
			}
		}
	}
	return ""
}

// Fits refuses (a [*field.Status]) a form that exists only for single objects if list is set (406), or only for lists
// otherwise (500). It is for custom objects; see [Form.FitsType] for others.
func (a Form) Fits(list bool) error {
	if !list && a.As == AsPartialObjectMetadataList {
		return refusal.Plain("content is not a list")
	}
	return a.FitsType("*unstructured.Unstructured", list)
}

// FitsType is [Form.Fits] for objects of built-in kinds, which a server has as values of a Go type, such as
// *core.ConfigMap. It refuses both forms with 406.
func (a Form) FitsType(goType string, list bool) error {
	switch {
	case list && a.As == AsPartialObjectMetadata:
		return notAcceptable("you requested PartialObjectMetadata, but the requested object is a list (" + goType + "List)")
	case !list && a.As == AsPartialObjectMetadataList:
		return notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list (" + goType + ")")
	}
	return nil
}

// FitsObject is [Form.Fits] for a particular object. A server treats an object with a list in a root field named items
// as a list, which has no metadata of its own to show (406, a [*field.Status]).
func (a Form) FitsObject(obj map[string]any) error {
	if a.As == AsPartialObjectMetadata && jsonval.IsList(obj) {
		return notAcceptable("you requested PartialObjectMetadata, but the requested object is a list (*unstructured.Unstructured)")
	}
	return a.Fits(false)
}

// maxClauses limits how many clauses of an Accept header are read.
const maxClauses = 100

// negotiate returns the first answer that a client accepts and the server allows.
func negotiate(accept string, allowed func(Form) bool) (Form, error) {
	if accept == "" {
		return Form{MediaType: jsonType}, nil
	}
	for _, c := range acceptClauses(accept) {
		for _, media := range [...]string{jsonType, yamlType} {
			if !c.takes(media) {
				continue
			}
			a := c.answer
			if a.MediaType = media; c.possible && allowed(a) {
				return a, nil
			}
		}
	}
	return Form{}, NotAcceptable(jsonType, yamlType, "application/vnd.kubernetes.protobuf")
}

// An acceptClause is one clause of an Accept header.
type acceptClause struct {
	kind, subtype string // of the media type; * for any
	q             float64
	answer        Form
	possible      bool // it does not ask for anything unsupported
	stream        bool // of events, which YAML does not support
}

func (c acceptClause) takes(media string) bool {
	kind, subtype, _ := strings.Cut(media, "/")
	if c.stream && media != jsonType {
		return false
	}
	return c.kind == kind && (c.subtype == subtype || c.subtype == "*") || c.kind == "*" && c.subtype == "*"
}

// before reports whether c goes before o. This is not a total order: the result of sorting depends on the original
// positions.
func (c acceptClause) before(o acceptClause) bool {
	return c.q > o.q || c.kind != "*" && o.kind == "*" || c.subtype != "*" && o.subtype == "*"
}

// acceptClauses returns the clauses of an Accept header in a server's order of preference.
func acceptClauses(accept string) []acceptClause {
	var out []acceptClause
	for text := range strings.SplitSeq(accept, ",") {
		c, ok := parseClause(text)
		if !ok {
			continue
		}
		if len(out) == maxClauses {
			break
		}
		out = append(out, c)
		for i := len(out) - 1; i > 0 && out[i].before(out[i-1]); i-- {
			out[i], out[i-1] = out[i-1], out[i]
		}
	}
	return out
}

// parseClause parses a media type and its parameters. Parameters without a value are ignored.
func parseClause(text string) (acceptClause, bool) {
	media, parameters, _ := strings.Cut(strings.Trim(text, " "), ";")
	kind, subtype, _ := strings.Cut(media, "/")
	c := acceptClause{kind: strings.Trim(kind, " "), subtype: "*", q: 1}
	if subtype != "" {
		name, more, _ := strings.Cut(subtype, "/")
		if more != "" {
			return c, false
		}
		c.subtype = strings.Trim(name, " ")
	} else if c.kind != "*" {
		return c, false
	}
	var group, version, stream, serverVersion string
	converts := false
	for p := range strings.SplitSeq(parameters, ";") {
		key, rest, _ := strings.Cut(p, "=")
		text, more, _ := strings.Cut(rest, "=")
		if rest == "" || more != "" {
			continue
		}
		switch key, value := strings.Trim(key, " "), strings.Trim(text, " "); key {
		case "q":
			c.q, _ = strconv.ParseFloat(text, 32)
		case "as":
			c.answer.As, converts = value, true
		case "g":
			group, converts = value, true
		case "v":
			version, converts = value, true
		case "stream":
			stream = value
		case "sv":
			serverVersion = value
		}
	}
	if converts {
		c.answer.APIVersion = group + "/" + version
	}
	c.stream = stream != ""
	c.possible = (stream == "" || stream == "watch") && (serverVersion == "" || serverVersion == "v1")
	return c, true
}
