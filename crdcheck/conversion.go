package crdcheck

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cabundle"
	"github.com/crdkit/crdkit/internal/names"
	"github.com/crdkit/crdkit/internal/uri"
)

// checkConversion: CVL-031 to CVL-033.
func (c *checker) checkConversion(at *field.Path) {
	conversion := c.spec.Conversion
	if conversion == nil {
		return
	}
	c.oneOf(at, "strategy", conversion.Strategy, crd.ConversionNone, crd.ConversionWebhook)
	config := conversion.WebhookClientConfig
	if conversion.Strategy != crd.ConversionWebhook {
		const detail = "should not be set when strategy is not set to Webhook"
		if config != nil {
			c.add(field.Forbidden(at.Child("webhookClientConfig"), detail))
		}
		if len(conversion.ConversionReviewVersions) > 0 {
			c.add(field.Forbidden(at.Child("conversionReviewVersions"), detail))
		}
		return
	}
	client := at.Child("webhookClientConfig")
	if config == nil {
		c.add(field.Required(client, "required when strategy is set to Webhook"))
	} else {
		c.checkClientConfig(config, client)
	}
	c.checkReviewVersions(conversion.ConversionReviewVersions, at.Child("conversionReviewVersions"))
}

func (c *checker) checkClientConfig(config *crd.WebhookClientConfig, at *field.Path) {
	switch {
	case (config.URL == nil) == (config.Service == nil):
		c.add(field.Required(at, "exactly one of url or service is required"))
	case config.URL != nil:
		c.checkURL(*config.URL, at.Child("url"))
	default:
		c.checkService(config.Service, at.Child("service"))
	}
	if c.on.requireValidCABundle { // CVL-037
		if err := caBundleError(config.CABundle); err != nil {
			c.add(field.Invalid(at.Child("caBundle"), config.CABundle, err.Error()))
		}
	}
}

// checkURL: CVL-034.
func (c *checker) checkURL(text string, at *field.Path) {
	const form = "; desired format: https://host[/path]"
	u, err := uri.Parse(text)
	if err != nil {
		c.add(field.Required(at, "url must be a valid URL: "+err.Error()+form))
		return
	}
	if u.Scheme != "https" {
		c.add(field.Invalid(at, u.Scheme, "'https' is the only allowed URL scheme"+form))
	}
	if u.Host == "" {
		c.add(field.Invalid(at, u.Host, "host must be specified"+form))
	}
	if u.User != nil {
		c.add(field.Invalid(at, u.User.String(), "user information is not permitted in the URL"))
	}
	if u.Fragment != "" {
		c.add(field.Invalid(at, u.Fragment, "fragments are not permitted in the URL"))
	}
	if u.RawQuery != "" {
		c.add(field.Invalid(at, u.RawQuery, "query parameters are not permitted in the URL"))
	}
}

// checkService: CVL-035. The two names are swapped: a server reports a missing namespace where the name is missing.
func (c *checker) checkService(s *crd.ServiceReference, at *field.Path) {
	if s.Namespace == "" {
		c.add(field.Required(at.Child("name"), ""))
	}
	if s.Name == "" {
		c.add(field.Required(at.Child("namespace"), ""))
	}
	if s.Port < 1 || s.Port > 65535 {
		c.add(field.Invalid(at.Child("port"), s.Port, "port is not valid: must be between 1 and 65535, inclusive"))
	}
	if s.Path != nil {
		c.checkServicePath(*s.Path, at.Child("path"))
	}
}

// checkServicePath: CVL-036.
func (c *checker) checkServicePath(path string, at *field.Path) {
	invalid := func(detail string) { c.add(field.Invalid(at, path, detail)) }
	switch path {
	case "", "/":
		return
	case "//":
		invalid("segment[0] may not be empty")
		return
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
		for _, message := range names.DNS1123Subdomain(segment) {
			invalid(fmt.Sprintf("segment[%d]: %s", i, message))
		}
	}
}

// checkReviewVersions: CVL-038.
func (c *checker) checkReviewVersions(versions []string, at *field.Path) {
	if len(versions) == 0 {
		c.add(field.Required(at, ""))
		return
	}
	seen := make(map[string]bool, len(versions))
	known := false
	for i, v := range versions {
		if seen[v] {
			c.add(field.Invalid(at.Index(i), v, "duplicate version"))
			continue
		}
		seen[v] = true
		for _, message := range names.DNS1035Label(v) {
			c.add(field.Invalid(at.Index(i), v, message))
		}
		known = known || isKnownReview(v)
	}
	if c.on.requireKnownReview && !known {
		c.add(field.Invalid(at, versions, "must include at least one of v1, v1beta1"))
	}
}

func isKnownReview(version string) bool { return version == "v1" || version == "v1beta1" }

// caBundle returns the CA bundle of a definition's webhook, or nil.
func caBundle(s *crd.Spec) []byte {
	if s.Conversion == nil || s.Conversion.WebhookClientConfig == nil {
		return nil
	}
	return s.Conversion.WebhookClientConfig.CABundle
}

// caBundleError returns the error of a CA bundle. An empty bundle has none. One readable certificate is enough.
func caBundleError(bundle []byte) error {
	if len(bundle) == 0 {
		return nil
	}
	if err := cabundle.Check(bundle); err != nil {
		return fmt.Errorf("unable to load root certificates: %w", err)
	}
	return nil
}
