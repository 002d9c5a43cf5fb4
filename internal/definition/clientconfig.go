package definition

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
)

// CheckURL returns the errors of the URL of a webhook (CVL-034).
func CheckURL(text string, at *field.Path) (errs field.List) {
	const form = "; desired format: https://host[/path]"
	u, err := format.ParseURI(text)
	if err != nil {
		return field.List{field.Required(at, "url must be a valid URL: "+err.Error()+form)}
	}
	if u.Scheme != "https" {
		errs = append(errs, field.Invalid(at, u.Scheme, "'https' is the only allowed URL scheme"+form))
	}
	if u.Host == "" {
		errs = append(errs, field.Invalid(at, u.Host, "host must be specified"+form))
	}
	if u.User != nil {
		errs = append(errs, field.Invalid(at, u.User.String(), "user information is not permitted in the URL"))
	}
	if u.Fragment != "" {
		errs = append(errs, field.Invalid(at, u.Fragment, "fragments are not permitted in the URL"))
	}
	if u.RawQuery != "" {
		errs = append(errs, field.Invalid(at, u.RawQuery, "query parameters are not permitted in the URL"))
	}
	return errs
}

// CheckService returns the errors of the Service of a webhook. A nil path is none. The two names are swapped: a server
// reports a missing namespace where the name is missing (CVL-035).
func CheckService(namespace, name string, port int32, path *string, at *field.Path) (errs field.List) {
	if namespace == "" {
		errs = append(errs, field.Required(at.Child("name"), ""))
	}
	if name == "" {
		errs = append(errs, field.Required(at.Child("namespace"), ""))
	}
	if port < 1 || port > 65535 {
		errs = append(errs, field.Invalid(at.Child("port"), port, "port is not valid: must be between 1 and 65535, inclusive"))
	}
	if path != nil {
		errs = append(errs, checkPath(*path, at.Child("path"))...)
	}
	return errs
}

// checkPath: CVL-036.
func checkPath(path string, at *field.Path) (errs field.List) {
	invalid := func(detail string) { errs = append(errs, field.Invalid(at, path, detail)) }
	switch path {
	case "", "/":
		return nil
	case "//":
		invalid("segment[0] may not be empty")
		return errs
	}
	if path[0] != '/' {
		invalid("must start with a '/'")
	}
	// The first byte is ignored, whatever it is.
	for i, segment := range strings.Split(strings.TrimSuffix(path[1:], "/"), "/") {
		if segment == "" {
			invalid(fmt.Sprintf("segment[%d] may not be empty", i))
			continue
		}
		for _, message := range format.DNS1123Subdomain(segment) {
			invalid(fmt.Sprintf("segment[%d]: %s", i, message))
		}
	}
	return errs
}
