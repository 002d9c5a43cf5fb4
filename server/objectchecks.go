package server

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
	"github.com/crdkit/crdkit/internal/format"
)

// This file has the checks of kinds that hold data, and of those that controllers write for themselves: ConfigMaps,
// Secrets, Leases, Events, ResourceQuotas and Nodes.

var dataKey = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// dataKeyMessages returns the messages about a key of a ConfigMap or a Secret.
func dataKeyMessages(s string) (messages []string) {
	if len(s) > 253 {
		messages = append(messages, "must be no more than 253 characters")
	}
	switch {
	case !dataKey.MatchString(s):
		messages = append(messages, "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "+
			"(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')")
	case s == ".", s == "..":
		messages = append(messages, "must not be '"+s+"'")
	case strings.HasPrefix(s, ".."):
		messages = append(messages, "must not start with '..'")
	}
	return messages
}

// dataKeys checks the keys of data.
func (c *checks) dataKeys(at *field.Path, data map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(data)) {
		c.dataKey(at, key)
	}
}

func (c *checks) dataKey(at *field.Path, key string) { c.present(at.Key(key), key, dataKeyMessages) }

// maxData is the maximum size of the data of a ConfigMap or a Secret, in bytes.
const maxData = 1 << 20

// dataSize returns the size of data: of texts, or of bytes in base64.
func dataSize(data map[string]any, inBase64 bool) (size int) {
	for _, v := range data {
		s, _ := v.(string)
		if inBase64 {
			size += base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(s, "=")))
		} else {
			size += len(s)
		}
	}
	return size
}

func checkConfigMap(c *checks, obj, old map[string]any) {
	checkImmutable("data", "binaryData")(c, obj, old)
	at, data, bytes := field.NewPath("data"), mapAt(obj, "data"), mapAt(obj, "binaryData")
	for _, key := range slices.Sorted(maps.Keys(data)) {
		c.dataKey(at, key)
		if _, both := bytes[key]; both {
			c.add(field.Invalid(at.Key(key), key, "duplicate of key present in binaryData"))
		}
	}
	c.dataKeys(field.NewPath("binaryData"), bytes)
	if dataSize(data, false)+dataSize(bytes, true) > maxData {
		c.add(field.TooLong(field.NewPath(""), maxData))
	}
}

// requiredData are the keys that the data of a Secret of a type must have.
var requiredData = map[string][]string{
	"kubernetes.io/tls":              {"tls.crt", "tls.key"},
	"kubernetes.io/dockerconfigjson": {".dockerconfigjson"},
	"kubernetes.io/dockercfg":        {".dockercfg"},
	"kubernetes.io/ssh-auth":         {"ssh-privatekey"},
}

func checkSecret(c *checks, obj, old map[string]any) {
	if old != nil {
		c.unchanged(nil, obj, old, "type")
	}
	checkImmutable("data")(c, obj, old)
	at, data := field.NewPath("data"), mapAt(obj, "data")
	c.dataKeys(at, data)
	if dataSize(data, true) > maxData {
		c.add(field.TooLong(at, maxData))
	}
	typ := text(obj, "type")
	for _, key := range requiredData[typ] {
		v, has := data[key].(string)
		switch {
		case !has, typ == "kubernetes.io/ssh-auth" && v == "":
			c.add(field.Required(at.Key(key), ""))
		case strings.HasPrefix(typ, "kubernetes.io/docker"):
			decoded, _ := base64.StdEncoding.DecodeString(v) // the decoder of objects has checked it
			var object map[string]any
			if err := json.Unmarshal(decoded, &object); err != nil {
				c.add(field.Invalid(at.Key(key), "<secret contents redacted>", err.Error()))
			}
		}
	}
	switch typ {
	case "kubernetes.io/basic-auth":
		if data["username"] == nil && data["password"] == nil {
			c.add(field.Required(at.Key("username"), ""))
			c.add(field.Required(at.Key("password"), ""))
		}
	case "kubernetes.io/service-account-token":
		const account = "kubernetes.io/service-account.name"
		c.required(field.NewPath("metadata", "annotations").Key(account), mapAt(metadata(obj), "annotations")[account], "")
	}
}

var leaseConstraints = []constraint{
	{"spec.leaseDurationSeconds", func(c *checks, at *field.Path, v any) {
		if n, ok := v.(int64); ok && n <= 0 {
			c.add(field.Invalid(at, n, "must be greater than 0"))
		}
	}},
	{"spec.leaseTransitions", notNegative},
}

// An eventFields has the names of the fields of an Event in a version.
type eventFields struct {
	about, note, controller, count, first, last, source string
	// strict says that the version has rules of its own.
	strict bool
}

var (
	coreEvent   = eventFields{"involvedObject", "message", "reportingComponent", "count", "firstTimestamp", "lastTimestamp", "source", false}
	eventsEvent = eventFields{
		"regarding", "note", "reportingController",
		"deprecatedCount", "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedSource", true,
	}
)

// The maximum lengths of the texts of an Event, in bytes.
const (
	maxEventText = 128
	maxEventNote = 1024
)

// checkEvent returns the check of an Event. Some errors have the names of the fields of the core group.
func checkEvent(f eventFields) func(c *checks, obj, old map[string]any) {
	return func(c *checks, obj, old map[string]any) {
		at := func(name string) *field.Path { return field.NewPath(name) }
		namespace, about := text(metadata(obj), "namespace"), text(mapAt(obj, f.about), "namespace")
		timed := obj["eventTime"] != nil
		free := namespace == "default" || timed && namespace == "kube-system" // for objects without a namespace
		if about == "" && !free || about != "" && about != namespace && !timed {
			c.add(field.Invalid(field.NewPath("involvedObject", "namespace"), about, "does not match event.namespace"))
		}
		if timed {
			c.required(at(f.controller), obj[f.controller], "")
			c.present(at(f.controller), text(obj, f.controller), format.QualifiedName)
			for _, name := range []string{"reportingInstance", "action", "reason"} {
				if c.required(at(name), obj[name], "") && len(text(obj, name)) > maxEventText {
					c.add(field.Invalid(at(name), "", fmt.Sprintf("can have at most %d characters", maxEventText)))
				}
			}
			if len(text(obj, f.note)) > maxEventNote {
				c.add(field.Invalid(at(coreEvent.note), "", fmt.Sprintf("can have at most %d characters", maxEventNote)))
			}
		} else if f.strict && old == nil {
			c.add(field.Required(at("eventTime"), ""))
		}
		if f.strict && old == nil {
			c.strictEvent(obj, f)
		}
	}
}

// strictEvent checks what only Events of events.k8s.io must have, or must not have.
func (c *checks) strictEvent(obj map[string]any, f eventFields) {
	if series, has := obj["series"].(map[string]any); has {
		at := field.NewPath("series")
		if n, _ := series["count"].(int64); n < 2 {
			c.add(field.Invalid(at.Child("count"), "", "should be at least 2"))
		}
		c.required(at.Child("lastObservedTime"), series["lastObservedTime"], "")
	}
	if typ := text(obj, "type"); typ != "Normal" && typ != "Warning" {
		c.add(field.Invalid(field.NewPath("type"), "", "has invalid value: "+typ))
	}
	source := mapAt(obj, f.source)
	for _, unset := range []struct {
		name string
		set  bool
	}{
		{coreEvent.count, obj[f.count] != nil && obj[f.count] != int64(0)},
		{coreEvent.first, obj[f.first] != nil},
		{coreEvent.last, obj[f.last] != nil},
		{coreEvent.source, text(source, "component") != "" || text(source, "host") != ""},
	} {
		if unset.set {
			c.add(field.Invalid(field.NewPath(unset.name), "", "needs to be unset"))
		}
	}
}

// quotaConstraints are those of amounts. The names of resources are not checked.
var quotaConstraints = []constraint{{"spec.hard", func(c *checks, at *field.Path, v any) {
	hard, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(hard)) {
		amount := text(hard, name)
		if q, err := quantity.Parse(amount); err == nil && q.Sign() < 0 {
			c.add(field.Invalid(at.Key(name), amount, "must be greater than or equal to 0"))
		}
	}
}}}

// A goTaint has the names of the fields of a server's Go type, which errors show.
type goTaint struct {
	Key, Value, Effect string
	TimeAdded          any
}

// checkNode checks the taints of a Node. Errors have another path than that of the field.
func checkNode(c *checks, obj, _ map[string]any) {
	seen := map[[2]string]bool{}
	for i, v := range listAt(mapAt(obj, "spec"), "taints") {
		taint, _ := v.(map[string]any)
		at := field.NewPath("metadata", "taints").Index(i)
		key, value, effect := text(taint, "key"), text(taint, "value"), text(taint, "effect")
		c.present(at.Child("key"), key, format.QualifiedName)
		if messages := format.LabelValue(value); messages != nil {
			c.add(field.Invalid(at.Child("value"), value, strings.Join(messages, ";")))
		}
		if c.required(at.Child("effect"), effect, "") {
			oneOf("NoSchedule", "PreferNoSchedule", "NoExecute")(c, at.Child("effect"), effect)
		}
		pair := [2]string{key, effect}
		if seen[pair] {
			c.add(&field.Error{
				Type: field.ErrorTypeDuplicate, Field: at.String(), Path: at, BadValue: goTaint{key, value, effect, taint["timeAdded"]},
				Detail: "taints must be unique by key and effect pair",
			})
		}
		seen[pair] = true
	}
}
