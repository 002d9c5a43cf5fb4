package crdcheck_test

import "testing"

const client = "spec.conversion.webhookClientConfig"

func webhook(config, versions string) change {
	return change{spec: `{conversion: {strategy: Webhook, webhook: {conversionReviewVersions: ` + versions + `, clientConfig: ` + config + `}}}`}
}

func TestConversion(t *testing.T) {
	const url = "; desired format: https://host[/path]"
	service := func(s string) change { return webhook(`{service: `+s+`}`, `[v1]`) }
	requireRows(t, []row{
		{"CVL-031 no strategy", change{spec: `{conversion: {}}`}, []string{`spec.conversion.strategy: Required value`}},
		{"CVL-031 another strategy", change{spec: `{conversion: {strategy: Other}}`}, []string{
			`spec.conversion.strategy: Unsupported value: "Other": supported values: "None", "Webhook"`,
		}},
		{"CVL-030 with unknown fields", change{spec: `{preserveUnknownFields: true, conversion: {strategy: "<"}}`}, []string{
			`spec.conversion.strategy: Invalid value: "\u003c": must be None if spec.preserveUnknownFields is true`,
			`spec.conversion.strategy: Unsupported value: "<": supported values: "None", "Webhook"`,
			`spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead`,
		}},
		{"CVL-032 a webhook that says nothing", change{spec: `{conversion: {strategy: None, webhook: {}}}`}, nil},
		{"CVL-032 a webhook without the strategy", change{spec: `{conversion: {strategy: None, webhook: {clientConfig: {}, conversionReviewVersions: [x]}}}`}, []string{
			client + `: Forbidden: should not be set when strategy is not set to Webhook`,
			`spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook`,
		}},
		{"CVL-033 no webhook", change{spec: `{conversion: {strategy: Webhook}}`}, []string{
			client + `: Required value: required when strategy is set to Webhook`,
			`spec.conversion.conversionReviewVersions: Required value`,
		}},
		{"CVL-033 neither url nor service", webhook(`{}`, `[v1]`), []string{client + `: Required value: exactly one of url or service is required`}},
		{"CVL-033 both, of which neither is looked at", webhook(`{url: x, service: {}}`, `[v1]`), []string{
			client + `: Required value: exactly one of url or service is required`,
		}},
		{"CVL-034 a url", webhook(`{url: "https://a/b"}`, `[v1]`), nil},
		{"CVL-034 all that a url may not have", webhook(`{url: "http://u:p@?q#f"}`, `[v1]`), []string{
			client + `.url: Invalid value: "http": 'https' is the only allowed URL scheme` + url,
			client + `.url: Invalid value: "": host must be specified` + url,
			client + `.url: Invalid value: "u:p": user information is not permitted in the URL`,
			client + `.url: Invalid value: "f": fragments are not permitted in the URL`,
			client + `.url: Invalid value: "q": query parameters are not permitted in the URL`,
		}},
		{"CVL-034 an empty url", webhook(`{url: ""}`, `[v1]`), []string{
			client + `.url: Invalid value: "": 'https' is the only allowed URL scheme` + url,
			client + `.url: Invalid value: "": host must be specified` + url,
		}},
		{"CVL-034 no url", webhook(`{url: "https://a:b:c"}`, `[v1]`), []string{
			client + `.url: Required value: url must be a valid URL: parse "https://a:b:c": invalid port ":b:c" after host` + url,
		}},
		{"CVL-035 the names are swapped", service(`{name: "", namespace: a, port: 0}`), []string{
			client + `.service.namespace: Required value`,
			client + `.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
		}},
		{"CVL-035 the other way round", service(`{name: a, namespace: "", port: 65536}`), []string{
			client + `.service.name: Required value`,
			client + `.service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive`,
		}},
		{"CVL-036 a slash is a path, and so is nothing", service(`{name: a, namespace: b, path: /}`), nil},
		{"CVL-036 one slash at the end is ignored", service(`{name: a, namespace: b, path: /a/b/}`), nil},
		{"CVL-036 two slashes", service(`{name: a, namespace: b, path: //}`), []string{
			client + `.service.path: Invalid value: "//": segment[0] may not be empty`,
		}},
		{"CVL-036 the first byte goes, whatever it is", service(`{name: a, namespace: b, path: "foo//Bar/x?"}`), []string{
			client + `.service.path: Invalid value: "foo//Bar/x?": must start with a '/'`,
			client + `.service.path: Invalid value: "foo//Bar/x?": segment[1] may not be empty`,
			client + `.service.path: Invalid value: "foo//Bar/x?": segment[2]: M1123S`,
			client + `.service.path: Invalid value: "foo//Bar/x?": segment[3]: M1123S`,
		}},
		{"CVL-037 the bundle of a new definition may be anything", webhook(`{url: "https://a", caBundle: YQ==}`, `[v1]`), nil},
		{"CVL-038 review versions", webhook(`{url: "https://a"}`, `[v2, v2, V]`), []string{
			`spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version`,
			`spec.conversion.conversionReviewVersions[2]: Invalid value: "V": M1035`,
			`spec.conversion.conversionReviewVersions: Invalid value: ["v2","v2","V"]: must include at least one of v1, v1beta1`,
		}},
		{"CVL-038 none", webhook(`{url: "https://a"}`, `[]`), []string{`spec.conversion.conversionReviewVersions: Required value`}},
		{"TYP-006 v1beta1 has another layout", change{base: oldLamp, spec: `{conversion: {strategy: Webhook, webhookClientConfig: {service: {name: a, namespace: b}}}}`}, nil},
	})
}

const established = `{status: {conditions: [{type: Established, status: "True"}]}}`

func bundled(bundle string) change {
	return change{doc: established, spec: webhook(`{url: "https://a", caBundle: `+bundle+`}`, `[v1]`).spec}
}

// CVL-037, UPD-001: once a definition is established, a good bundle has to stay one.
func TestCABundles(t *testing.T) {
	const (
		unreadable = "IyBub3RoaW5n"                                                                     // no PEM
		key        = "LS0tLS1CRUdJTiBLRVktLS0tLQpZUT09Ci0tLS0tRU5EIEtFWS0tLS0tCg=="                     // PEM of something else
		broken     = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCllRPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=" // PEM of no certificate
		prefix     = client + `.caBundle: Invalid value: `
		why        = `: unable to load root certificates: `
	)
	requireUpdates(t, []updateRow{
		{"before it is established", webhook(`{url: "https://a"}`, `[v1]`),
			webhook(`{url: "https://a", caBundle: `+key+`}`, `[v1]`), nil},
		{"no PEM", bundled(`""`), bundled(unreadable), []string{
			prefix + `"` + unreadable + `"` + why + `unable to parse bytes as PEM block`,
		}},
		{"no certificate", bundled(`""`), bundled(key), []string{
			prefix + `"` + key + `"` + why + `no valid certificate authority data seen`,
		}},
		{"a bad certificate", bundled(`""`), bundled(broken), []string{
			prefix + `"` + broken + `"` + why + `failed to parse certificate: x509: malformed certificate`,
		}},
		{"it was bad before", bundled(unreadable), bundled(key), nil},
		{"none is fine", bundled(`""`), bundled(`""`), nil},
	})
}
