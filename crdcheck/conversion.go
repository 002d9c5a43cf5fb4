package crdcheck

import (
	"fmt"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/definition"
	"github.com/crdkit/crdkit/internal/format"
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
		c.add(definition.CheckURL(*config.URL, at.Child("url"))...)
	default:
		s := config.Service
		c.add(definition.CheckService(s.Namespace, s.Name, s.Port, s.Path, at.Child("service"))...)
	}
	if c.on.requireValidCABundle { // CVL-037
		if err := caBundleError(config.CABundle); err != nil {
			c.add(field.Invalid(at.Child("caBundle"), config.CABundle, err.Error()))
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
		for _, message := range format.DNS1035Label(v) {
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
	if err := definition.CheckCABundle(bundle); err != nil {
		return fmt.Errorf("unable to load root certificates: %w", err)
	}
	return nil
}
