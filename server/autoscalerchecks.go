package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
	"github.com/crdkit/crdkit/internal/format"
)

// This file has the checks of HorizontalPodAutoscalers.

func checkAutoscaler(c *checks, obj, old map[string]any) {
	spec := mapAt(obj, "spec")
	least, _ := spec["minReplicas"].(int64)
	most, _ := spec["maxReplicas"].(int64)
	if most < least {
		c.add(field.Invalid(specPath.Child("maxReplicas"), most, "must be greater than or equal to `minReplicas`"))
	}
	c.target(mapAt(spec, "scaleTargetRef"), mapAt(old, "spec", "scaleTargetRef"))
	at := specPath.Child("metrics")
	for i, v := range listAt(spec, "metrics") {
		metric, _ := v.(map[string]any)
		c.metric(at.Index(i), metric)
	}
	if spec["minReplicas"] == int64(0) && !scalesToZero(spec) {
		c.add(field.Forbidden(at, "must specify at least one Object or External metric to support scaling to zero replicas"))
	}
	for _, direction := range []string{"scaleUp", "scaleDown"} {
		if rules, has := mapAt(spec, "behavior")[direction].(map[string]any); has {
			c.scaling(below(specPath, "behavior", direction), rules)
		}
	}
	// What follows is declared with the type, and is checked last.
	c.descend(specPath, spec, "minReplicas", notNegative)
	switch {
	case most == 0:
		c.add(field.Required(specPath.Child("maxReplicas"), ""))
	case most < 0:
		c.add(field.Invalid(specPath.Child("maxReplicas"), most, "must be greater than or equal to 1"))
	}
}

// target checks what is scaled. An update of something else need not mend the apiVersion.
func (c *checks) target(target, old map[string]any) {
	at := specPath.Child("scaleTargetRef")
	c.kindAndName(at, target)
	version, kind := text(target, "apiVersion"), text(target, "kind")
	if old != nil && version == text(old, "apiVersion") && kind == text(old, "kind") {
		return
	}
	group, _, grouped := strings.Cut(version, "/")
	switch {
	case strings.Count(version, "/") > 1:
		c.add(field.Invalid(at.Child("apiVersion"), version, "unexpected GroupVersion string: "+version))
	case (!grouped || group == "") && kind != "ReplicationController": // the only kind of the core group that is scaled
		c.add(field.Invalid(at.Child("apiVersion"), version, "apiVersion must specify API group"))
	}
}

// scalesToZero reports whether an autoscaler has a metric that exists without Pods.
func scalesToZero(spec map[string]any) bool {
	return slices.ContainsFunc(listAt(spec, "metrics"), func(v any) bool {
		metric, _ := v.(map[string]any)
		typ := text(metric, "type")
		return typ == "Object" || typ == "External"
	})
}

// A metricSource is a type of metrics: the name of the type and of the field that describes it.
type metricSource struct {
	typ, field string
	check      func(c *checks, at *field.Path, source map[string]any)
}

// metricSources are in the order in which a server looks for the fields. It checks the first.
var metricSources = []metricSource{
	{"Object", "object", func(c *checks, at *field.Path, source map[string]any) {
		described := mapAt(source, "describedObject")
		c.kindAndName(at.Child("describedObject"), described)
		if version := text(described, "apiVersion"); strings.Count(version, "/") > 1 && c.old == nil {
			c.add(field.Invalid(below(at, "describedObject", "apiVersion"), version, "unexpected GroupVersion string: "+version))
		}
		c.metricName(at, source)
		if target := c.metricTarget(at, source); target["value"] == nil && target["averageValue"] == nil {
			c.add(field.Required(below(at, "target", "averageValue"), "must set either a target value or averageValue"))
		}
	}},
	{"External", "external", func(c *checks, at *field.Path, source map[string]any) {
		c.metricName(at, source)
		switch target := c.metricTarget(at, source); {
		case target["value"] == nil && target["averageValue"] == nil:
			c.add(field.Required(below(at, "target", "averageValue"), "must set either a target value for metric or a per-pod target"))
		case target["value"] != nil && target["averageValue"] != nil:
			c.add(field.Forbidden(below(at, "target", "value"), "may not set both a target value for metric and a per-pod target"))
		}
	}},
	{"Pods", "pods", func(c *checks, at *field.Path, source map[string]any) {
		c.metricName(at, source)
		if c.metricTarget(at, source)["averageValue"] == nil {
			c.add(field.Required(below(at, "target", "averageValue"), "must specify a positive target averageValue"))
		}
	}},
	{"Resource", "resource", func(c *checks, at *field.Path, source map[string]any) {
		c.required(at.Child("name"), source["name"], "must specify a resource name")
		c.utilization(at, source)
	}},
	{"ContainerResource", "containerResource", func(c *checks, at *field.Path, source map[string]any) {
		c.required(at.Child("name"), source["name"], "must specify a resource name")
		if c.required(at.Child("container"), source["container"], "must specify a container") {
			named(format.DNS1123Label)(c, at.Child("container"), source["container"])
		}
		c.utilization(at, source)
	}},
}

func (c *checks) metric(at *field.Path, metric map[string]any) {
	typ, types := text(metric, "type"), []string{"ContainerResource", "External", "Object", "Pods", "Resource"}
	if typ == "" {
		c.add(field.Required(at.Child("type"), "must specify a metric source type"))
	}
	if !slices.Contains(types, typ) {
		c.add(field.NotSupported(at.Child("type"), typ, types...))
	}
	var present []metricSource
	for _, s := range metricSources {
		source, has := metric[s.field].(map[string]any)
		if !has {
			continue
		}
		if present = append(present, s); len(present) == 1 {
			s.check(c, at.Child(s.field), source)
		}
	}
	for _, s := range metricSources {
		switch {
		case s.typ == typ && metric[s.field] == nil:
			c.add(field.Required(at.Child(s.field), "must populate information for the given metric source"))
		case s.typ != typ && metric[s.field] != nil && len(present) > 1:
			c.add(field.Forbidden(at.Child(s.field), "must populate the given metric source only"))
		}
	}
}

func (c *checks) metricName(at *field.Path, source map[string]any) {
	at, name := below(at, "metric", "name"), mapAt(source, "metric")["name"]
	if c.required(at, name, "must specify a metric name") {
		named(format.PathSegment)(c, at, name)
	}
}

// metricTarget checks the target of a metric, and returns it.
func (c *checks) metricTarget(at *field.Path, source map[string]any) map[string]any {
	at, target := at.Child("target"), mapAt(source, "target")
	typ := text(target, "type")
	if typ == "" {
		c.add(field.Required(at.Child("type"), "must specify a metric target type"))
	}
	if typ != "Utilization" && typ != "Value" && typ != "AverageValue" {
		c.add(field.Invalid(at.Child("type"), typ, "must be either Utilization, Value, or AverageValue"))
	}
	for _, name := range []string{"value", "averageValue"} {
		amount := text(target, name)
		if q, err := quantity.Parse(amount); err == nil && q.Sign() <= 0 {
			c.add(field.Invalid(at.Child(name), amount, "must be positive"))
		}
	}
	if n, ok := target["averageUtilization"].(int64); ok && n < 1 {
		c.add(field.Invalid(at.Child("averageUtilization"), n, "must be greater than 0"))
	}
	return target
}

// utilization checks the target of a metric that is used up to a percentage or an amount.
func (c *checks) utilization(at *field.Path, source map[string]any) {
	target := c.metricTarget(at, source)
	at = at.Child("target")
	switch share, amount := target["averageUtilization"] != nil, target["averageValue"] != nil; {
	case !share && !amount:
		c.add(field.Required(at.Child("averageUtilization"), "must set either a target raw value or a target utilization"))
	case share && amount:
		c.add(field.Forbidden(at.Child("averageValue"), "may not set both a target raw value and a target utilization"))
	}
}

// The longest times of a behavior, in seconds.
const (
	maxWindow = 3600
	maxPeriod = 1800
)

// scaling checks how an autoscaler scales in one direction.
func (c *checks) scaling(at *field.Path, rules map[string]any) {
	window := at.Child("stabilizationWindowSeconds")
	switch n, _ := rules["stabilizationWindowSeconds"].(int64); {
	case n < 0:
		c.add(field.Invalid(window, n, "must be greater than or equal to zero"))
	case n > maxWindow:
		c.add(field.Invalid(window, n, fmt.Sprintf("must be less than or equal to %d", maxWindow)))
	}
	if policy, has := rules["selectPolicy"].(string); has && policy != "Disabled" && policy != "Max" && policy != "Min" {
		c.add(field.NotSupported(at.Child("selectPolicy"), policy, "Disabled", "Max", "Min"))
	}
	c.required(at.Child("policies"), rules["policies"], "must specify at least one Policy")
	for i, v := range listAt(rules, "policies") {
		policy, _ := v.(map[string]any)
		c.scalingPolicy(at.Child("policies").Index(i), policy)
	}
	amount := text(rules, "tolerance")
	if q, err := quantity.Parse(amount); err == nil && q.Sign() < 0 {
		c.add(field.Invalid(at.Child("tolerance"), amount, "must be greater than or equal to 0"))
	}
}

func (c *checks) scalingPolicy(at *field.Path, policy map[string]any) {
	if typ := text(policy, "type"); typ != "Pods" && typ != "Percent" {
		c.add(field.NotSupported(at.Child("type"), typ, "Percent", "Pods"))
	}
	for _, name := range []string{"value", "periodSeconds"} {
		switch n, _ := policy[name].(int64); {
		case n <= 0:
			c.add(field.Invalid(at.Child(name), n, "must be greater than zero"))
		case name == "periodSeconds" && n > maxPeriod:
			c.add(field.Invalid(at.Child(name), n, fmt.Sprintf("must be less than or equal to %d", maxPeriod)))
		}
	}
}
