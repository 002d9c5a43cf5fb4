package server

import (
	"regexp"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// This file has the checks of Ingresses and their classes.

func checkIngress(c *checks, obj, old map[string]any) {
	spec := mapAt(obj, "spec")
	rules := listAt(spec, "rules")
	if len(rules) == 0 && spec["defaultBackend"] == nil {
		c.add(field.Invalid(specPath, spec["rules"], "either `defaultBackend` or `rules` must be specified"))
	}
	c.descend(specPath, spec, "defaultBackend", backend)
	secrets, wildcards := old == nil || validSecretNames(old), old == nil || validWildcards(old)
	for i, v := range rules {
		rule, _ := v.(map[string]any)
		at := specPath.Child("rules").Index(i)
		host(c, at.Child("host"), text(rule, "host"))
		if wildcards || !strings.Contains(text(rule, "host"), "*") {
			c.ingressPaths(at, rule)
		}
	}
	for i, v := range listAt(spec, "tls") {
		tls, _ := v.(map[string]any)
		at := specPath.Child("tls").Index(i)
		c.descend(at, v, "hosts[]", func(c *checks, at *field.Path, v any) { c.present(at, v, hostName) })
		if secrets {
			named(format.DNS1123Subdomain)(c, at.Child("secretName"), tls["secretName"])
		}
	}
	if class, has := spec["ingressClassName"].(string); has {
		c.present(specPath.Child("ingressClassName"), class, format.DNS1123Subdomain)
		const annotation = "kubernetes.io/ingress.class"
		if other, both := mapAt(metadata(obj), "annotations")[annotation].(string); both && other != class && old == nil {
			c.add(field.Invalid(field.NewPath("annotations", annotation), other, "must match `ingressClassName` when both are specified"))
		}
	}
}

// validSecretNames reports whether the Secrets of an Ingress have valid names. If a stored one does not, an update need
// not change that.
func validSecretNames(obj map[string]any) bool {
	for _, v := range listAt(mapAt(obj, "spec"), "tls") {
		tls, _ := v.(map[string]any)
		if name := text(tls, "secretName"); name != "" && format.DNS1123Subdomain(name) != nil {
			return false
		}
	}
	return true
}

// validWildcards reports whether the rules for hosts with an asterisk have valid paths. If those of a stored Ingress do
// not, an update need not change that.
func validWildcards(obj map[string]any) bool {
	var c checks
	for _, v := range listAt(mapAt(obj, "spec"), "rules") {
		if rule, _ := v.(map[string]any); strings.Contains(text(rule, "host"), "*") {
			c.ingressPaths(specPath, rule)
		}
	}
	return c.errs.Len() == 0
}

var wildcardHost = regexp.MustCompile(`^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// hostName returns the messages about a host of an Ingress, which may begin with an asterisk.
func hostName(s string) (messages []string) {
	if !strings.Contains(s, "*") {
		return format.DNS1123Subdomain(s)
	}
	if len(s) > format.MaxDNS1123Domain {
		messages = append(messages, "must be no more than 253 characters")
	}
	if !wildcardHost.MatchString(s) {
		messages = append(messages, "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must "+
			"consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', "+
			`regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`)
	}
	return messages
}

// host checks the host of a rule, if it has one.
func host(c *checks, at *field.Path, s string) {
	if s == "" {
		return
	}
	if _, is := parseAddress(s); is {
		c.add(field.Invalid(at, s, "must be a DNS name, not an IP address"))
	}
	named(hostName)(c, at, s)
}

// ingressPaths checks the paths of a rule.
func (c *checks) ingressPaths(at *field.Path, rule map[string]any) {
	if http, has := rule["http"].(map[string]any); has {
		c.required(below(at, "http", "paths"), http["paths"], "")
	}
	c.descend(at, rule, "http.paths[]", ingressPath)
}

func ingressPath(c *checks, at *field.Path, v any) {
	p, _ := v.(map[string]any)
	path, typ := text(p, "path"), p["pathType"]
	at, wrong := at.Child("path"), at
	invalid := func(why string) { c.add(field.Invalid(at, path, why)) }
	switch typ {
	case nil:
		c.add(field.Required(wrong.Child("pathType"), "pathType must be specified"))
		return
	case "ImplementationSpecific", "Exact", "Prefix":
		exact := typ != "ImplementationSpecific"
		if !strings.HasPrefix(path, "/") && (exact || path != "") {
			invalid("must be an absolute path")
		}
		if !exact {
			break
		}
		for _, part := range []string{"//", "/./", "/../", "%2f", "%2F"} {
			if strings.Contains(path, part) {
				invalid("must not contain '" + part + "'")
			}
		}
		for _, end := range []string{"/..", "/."} {
			if strings.HasSuffix(path, end) {
				invalid("cannot end with '" + end + "'")
			}
		}
	default:
		c.add(field.NotSupported(wrong.Child("pathType"), typ, "Exact", "ImplementationSpecific", "Prefix"))
	}
	backend(c, wrong.Child("backend"), p["backend"])
}

// backend checks where requests go: to a Service or a resource.
func backend(c *checks, at *field.Path, v any) {
	b, _ := v.(map[string]any)
	service, isService := b["service"].(map[string]any)
	resource, isResource := b["resource"].(map[string]any)
	switch {
	case isService && isResource:
		c.add(field.Invalid(at, "", "cannot set both resource and service backends"))
		return
	case isResource:
		c.reference(at.Child("resource"), resource)
		return
	case !isService:
		c.add(field.Invalid(at, "", "resource or service backend is required"))
		return
	}
	if c.required(below(at, "service", "name"), service["name"], "") {
		named(format.DNS1123Label)(c, below(at, "service", "name"), service["name"])
	}
	port := mapAt(service, "port")
	number, _ := port["number"].(int64)
	switch name := text(port, "name"); {
	case number != 0 && name != "":
		c.add(field.Invalid(at, "", "cannot set both port name & port number"))
	case name != "":
		named(portName)(c, below(at, "service", "port", "name"), name)
	case number != 0:
		between(1, maxPort)(c, below(at, "service", "port", "number"), number)
	default:
		c.add(field.Required(at, "port name or number is required"))
	}
}

// reference checks the group, the kind and the name of an object.
func (c *checks) reference(at *field.Path, ref map[string]any) {
	c.present(at.Child("apiGroup"), ref["apiGroup"], format.DNS1123Subdomain)
	c.kindAndName(at, ref)
}

func (c *checks) kindAndName(at *field.Path, ref map[string]any) {
	for _, name := range []string{"kind", "name"} {
		if c.required(at.Child(name), ref[name], "") {
			named(format.PathSegment)(c, at.Child(name), ref[name])
		}
	}
}

// maxController is the maximum length of the name of a controller, in bytes.
const maxController = 250

var urlPath = regexp.MustCompile(`^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$`)

func checkIngressClass(c *checks, obj, old map[string]any) {
	spec := mapAt(obj, "spec")
	at, controller := specPath.Child("controller"), text(spec, "controller")
	if old != nil && !jsonval.Equal(spec["controller"], mapAt(old, "spec")["controller"]) {
		c.add(field.Invalid(at, controller, immutable))
	}
	if len(controller) > maxController {
		c.add(field.TooLong(at, maxController))
	}
	switch domain, path, _ := strings.Cut(controller, "/"); {
	case controller == "":
		c.add(field.Required(at, ""))
	case domain == "" || path == "":
		c.add(field.Invalid(at, controller, `must be a domain-prefixed path (such as "acme.io/foo")`))
	default:
		named(format.DNS1123Subdomain)(c, at, domain)
		if !urlPath.MatchString(path) {
			c.add(field.Invalid(at, path, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"))
		}
	}
	if parameters, has := spec["parameters"].(map[string]any); has {
		c.classParameters(specPath.Child("parameters"), parameters)
	}
}

func (c *checks) classParameters(at *field.Path, parameters map[string]any) {
	c.reference(at, parameters)
	namespace, has := parameters["namespace"].(string)
	switch scope := text(parameters, "scope"); {
	case scope == "Namespace" && !has:
		c.add(field.Required(at.Child("namespace"), "`parameters.scope` is set to 'Namespace'"))
	case scope == "Namespace":
		c.present(at.Child("namespace"), namespace, format.DNS1123Label)
	case scope == "Cluster" && has:
		c.add(field.Forbidden(at.Child("namespace"), "`parameters.scope` is set to 'Cluster'"))
	case scope != "Cluster":
		c.add(field.NotSupported(at.Child("scope"), scope, "Cluster", "Namespace"))
	}
}
