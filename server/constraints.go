package server

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/server/internal/hooks"
)

// This file has the constraints of single fields of built-in kinds, as tables. checks.go has the checks of several
// fields together.

// A constraint is a check of all values at a path, which is relative to an object and has [] after the names of lists.
// Values that are missing are not checked.
type constraint struct {
	path  string
	check func(c *checks, at *field.Path, v any)
}

// constrained returns the check of an object with these constraints.
func constrained(all ...constraint) func(c *checks, obj, old map[string]any) {
	return func(c *checks, obj, _ map[string]any) { c.constrain(nil, obj, all) }
}

// constrain checks the value at a path.
func (c *checks) constrain(at *field.Path, v any, all []constraint) {
	for i := range all {
		c.descend(at, v, all[i].path, all[i].check)
	}
}

func (c *checks) descend(at *field.Path, v any, path string, check func(*checks, *field.Path, any)) {
	if v == nil {
		return
	}
	if path == "" {
		check(c, at, v)
		return
	}
	step, rest, _ := strings.Cut(path, ".")
	name, isList := strings.CutSuffix(step, "[]")
	obj, _ := v.(map[string]any)
	v = obj[name]
	if v == nil {
		return // most values are missing: no path is made for them
	}
	at = at.Child(name)
	if !isList {
		c.descend(at, v, rest, check)
		return
	}
	list, _ := v.([]any)
	for i, item := range list {
		c.descend(at.Index(i), item, rest, check)
	}
}

// oneOf allows these texts.
func oneOf(values ...string) func(*checks, *field.Path, any) {
	return func(c *checks, at *field.Path, v any) {
		if s, ok := v.(string); ok && s != "" && !slices.Contains(values, s) {
			c.add(field.NotSupported(at, s, values...))
		}
	}
}

// allOneOf allows lists of these texts. An error is about the list.
func allOneOf(values ...string) func(*checks, *field.Path, any) {
	return func(c *checks, at *field.Path, v any) {
		list, _ := v.([]any)
		for _, item := range list {
			oneOf(values...)(c, at, item)
		}
	}
}

// required requires a field of an object.
func required(name, detail string) func(*checks, *field.Path, any) {
	return func(c *checks, at *field.Path, v any) {
		obj, _ := v.(map[string]any)
		c.required(at.Child(name), obj[name], detail)
	}
}

// between allows numbers from least to most.
func between(least, most int64) func(*checks, *field.Path, any) {
	return func(c *checks, at *field.Path, v any) {
		if n, ok := v.(int64); ok && (n < least || n > most) {
			c.add(field.Invalid(at, n, fmt.Sprintf("must be between %d and %d, inclusive", least, most)))
		}
	}
}

const (
	maxPort  = 65535
	maxInt32 = 1<<31 - 1
)

func notNegative(c *checks, at *field.Path, v any) {
	if n, ok := v.(int64); ok && n < 0 {
		c.add(field.Invalid(at, n, "must be greater than or equal to 0"))
	}
}

// named allows texts to which of has no objection. The empty text is missing.
func named(of func(string) []string) func(*checks, *field.Path, any) {
	return func(c *checks, at *field.Path, v any) {
		if v != "" {
			c.present(at, v, of)
		}
	}
}

// numberOrName allows the number and the name of a port.
func numberOrName(c *checks, at *field.Path, v any) {
	between(1, maxPort)(c, at, v)
	c.present(at, v, portName)
}

func portName(s string) (messages []string) {
	isLetter := func(r rune) bool { return 'a' <= r && r <= 'z' }
	for _, rule := range []struct {
		broken  bool
		message string
	}{
		{len(s) > 15, "must be no more than 15 characters"},
		{
			s == "" || strings.ContainsFunc(s, func(r rune) bool { return !isLetter(r) && r != '-' && (r < '0' || r > '9') }),
			"must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
		},
		{!strings.ContainsFunc(s, isLetter), "must contain at least one letter (a-z)"},
		{strings.Contains(s, "--"), "must not contain consecutive hyphens"},
		{strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-"), "must not begin or end with a hyphen"},
	} {
		if rule.broken {
			messages = append(messages, rule.message)
		}
	}
	return messages
}

var percent = regexp.MustCompile(`^[0-9]+%$`)

// numberOrPercent allows numbers that are not negative, and percentages.
func numberOrPercent(c *checks, at *field.Path, v any) {
	notNegative(c, at, v)
	if s, ok := v.(string); ok && !percent.MatchString(s) {
		c.add(field.Invalid(at, s, "a valid percent string must be a numeric string followed by an ending '%' "+
			"(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"))
	}
}

// labels allows maps of labels.
func labels(c *checks, at *field.Path, v any) {
	m, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		named(format.QualifiedName)(c, at, name)
		if value, ok := m[name].(string); ok {
			named(format.LabelValue)(c, at, value)
		}
	}
}

// annotations allows maps of annotations.
func annotations(c *checks, at *field.Path, v any) {
	m, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		named(func(s string) []string { return format.QualifiedName(strings.ToLower(s)) })(c, at, name)
	}
}

// labelSelector allows label selectors.
func labelSelector(c *checks, at *field.Path, v any) {
	selector, _ := v.(map[string]any)
	c.errs.Append(hooks.CheckSelector(selector, at)...)
}

// selectorConstraints returns the check of label selectors at these paths. If those of a stored object are invalid, an
// update need not change that.
func selectorConstraints(paths ...string) func(c *checks, obj, old map[string]any) {
	all := make([]constraint, len(paths))
	for i, path := range paths {
		all[i] = constraint{path, labelSelector}
	}
	return func(c *checks, obj, old map[string]any) {
		var before checks
		if before.constrain(nil, old, all); before.errs.Len() == 0 {
			c.constrain(nil, obj, all)
		}
	}
}

var protocols = oneOf("SCTP", "TCP", "UDP")

// podConstraints are those of the spec of a Pod.
var podConstraints = slices.Concat(containerConstraints("containers"), containerConstraints("initContainers"), []constraint{
	{"restartPolicy", oneOf("Always", "OnFailure", "Never")},
	{"dnsPolicy", oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")},
	{"nodeSelector", labels},
	{"affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution", required("nodeSelectorTerms", "must have at least one node selector term")},
	{"", hostPorts},
	{"securityContext", userAndGroups},
	{"serviceAccountName", named(format.DNS1123Subdomain)},
	{"nodeName", named(format.DNS1123Subdomain)},
	{"activeDeadlineSeconds", between(1, maxInt32)},
	{"tolerations[]", consistentToleration},
	{"tolerations[].operator", oneOf("Equal", "Exists")},
	{"tolerations[].effect", oneOf("NoSchedule", "PreferNoSchedule", "NoExecute")},
	{"topologySpreadConstraints[].whenUnsatisfiable", oneOf("DoNotSchedule", "ScheduleAnyway")},
})

// consistentToleration checks what goes together.
func consistentToleration(c *checks, at *field.Path, v any) {
	t, _ := v.(map[string]any)
	operator, effect := text(t, "operator"), text(t, "effect")
	if text(t, "key") == "" && operator != "Exists" {
		c.add(field.Invalid(at.Child("operator"), operator, "operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t["tolerationSeconds"] != nil && effect != "NoExecute" {
		c.add(field.Invalid(at.Child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
}

// containerConstraints returns the constraints of the containers in a list of a Pod's spec.
func containerConstraints(list string) []constraint {
	at := list + "[]."
	return []constraint{
		{at + "ports[]", containerPort},
		{at + "ports[].hostPort", func(c *checks, at *field.Path, v any) {
			if v != int64(0) {
				between(1, maxPort)(c, at, v)
			}
		}},
		{at + "ports", portNames},
		{at + "ports[].protocol", protocols},
		{at + "env[]", variableName},
		{at + "env[]", source},
		{at + "env[].valueFrom.configMapKeyRef", required("key", "")},
		{at + "env[].valueFrom.secretKeyRef", required("key", "")},
		{at + "envFrom", func(c *checks, at *field.Path, v any) {
			list, _ := v.([]any)
			for _, item := range list {
				if from, _ := item.(map[string]any); from["configMapRef"] == nil && from["secretRef"] == nil {
					c.add(field.Invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"))
				}
			}
		}},
		{at + "volumeMounts[]", required("mountPath", "")},
		{at + "volumeMounts", distinctMounts},
		{list + "[]", probes(list == "initContainers")},
		{at + "terminationMessagePolicy", oneOf("File", "FallbackToLogsOnError")},
		{at + "imagePullPolicy", oneOf("Always", "IfNotPresent", "Never")},
		{at + "resources", requestsWithinLimits},
		{at + "securityContext", userAndGroups},
	}
}

func containerPort(c *checks, at *field.Path, v any) {
	port, _ := v.(map[string]any)
	at = at.Child("containerPort")
	if n, _ := port["containerPort"].(int64); n == 0 {
		c.add(field.Required(at, ""))
	} else {
		between(1, maxPort)(c, at, n)
	}
}

// portNames checks the names of a container's ports.
func portNames(c *checks, at *field.Path, v any) {
	seen := map[string]bool{}
	list, _ := v.([]any)
	for i, item := range list {
		port, _ := item.(map[string]any)
		name, at := text(port, "name"), at.Index(i).Child("name")
		switch {
		case name == "":
		case len(portName(name)) > 0:
			named(portName)(c, at, name)
		case seen[name]:
			c.add(field.Duplicate(at, name))
		default:
			seen[name] = true
		}
	}
}

func distinctMounts(c *checks, at *field.Path, v any) {
	seen := map[string]bool{}
	list, _ := v.([]any)
	for i, item := range list {
		mount, _ := item.(map[string]any)
		path := text(mount, "mountPath")
		if path != "" && seen[path] {
			c.add(field.Invalid(at.Index(i).Child("mountPath"), path, "must be unique"))
		}
		seen[path] = true
	}
}

// variableName checks the name of an environment variable.
func variableName(c *checks, at *field.Path, v any) {
	env, _ := v.(map[string]any)
	name := text(env, "name")
	at = at.Child("name")
	if c.required(at, name, "") && strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' || r == '=' }) {
		c.add(field.Invalid(at, name, "a valid environment variable name must consist only of printable ASCII characters other than '='"))
	}
}

// source checks where an environment variable has its value from.
func source(c *checks, at *field.Path, v any) {
	env, _ := v.(map[string]any)
	from, has := env["valueFrom"].(map[string]any)
	switch at = at.Child("valueFrom"); {
	case !has:
	case len(from) == 0:
		c.add(field.Invalid(at, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
	case text(env, "value") != "":
		c.add(field.Invalid(at, "", "may not be specified when `value` is not empty"))
	}
}

// probes checks the probes of a container. An init container has some only if it is always restarted.
func probes(init bool) func(*checks, *field.Path, any) {
	return func(c *checks, at *field.Path, v any) {
		container, _ := v.(map[string]any)
		for _, name := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
			probe, has := container[name].(map[string]any)
			switch at := at.Child(name); {
			case !has:
			case init && text(container, "restartPolicy") != "Always":
				c.add(field.Forbidden(at, "may not be set for init containers without restartPolicy=Always"))
			default:
				c.probe(at, probe, name == "readinessProbe")
			}
		}
	}
}

// probe checks a probe. often says that it may have to succeed more than once.
func (c *checks) probe(at *field.Path, probe map[string]any, often bool) {
	c.handler(at, probe)
	c.notNegative(at, probe, "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
	if n, ok := probe["successThreshold"].(int64); ok && n > 1 && !often {
		c.add(field.Invalid(at.Child("successThreshold"), n, "must be 1"))
	}
}

// handlers are what a probe may do, in the order in which a server looks for them. It checks the first.
var handlers = []struct {
	name        string
	constraints []constraint
}{
	{"exec", []constraint{{"", required("command", "")}}},
	{"httpGet", []constraint{{"port", numberOrName}, {"scheme", oneOf("HTTP", "HTTPS")}}},
	{"tcpSocket", []constraint{{"port", numberOrName}}},
	{"grpc", []constraint{{"port", between(1, maxPort)}}},
}

func (c *checks) handler(at *field.Path, probe map[string]any) {
	found := false
	for _, h := range handlers {
		switch {
		case probe[h.name] == nil:
		case found:
			c.add(field.Forbidden(at.Child(h.name), "may not specify more than 1 handler type"))
		default:
			found = true
			c.constrain(at.Child(h.name), probe[h.name], h.constraints)
		}
	}
	if !found {
		c.add(field.Required(at, "must specify a handler type"))
	}
}

// hostPorts checks the ports of a Pod in the network of its node.
func hostPorts(c *checks, at *field.Path, v any) {
	spec, _ := v.(map[string]any)
	if spec["hostNetwork"] != true {
		return
	}
	c.descend(at, spec, "containers[].ports[]", func(c *checks, at *field.Path, v any) {
		port, _ := v.(map[string]any)
		if n, ok := port["hostPort"].(int64); ok && n != 0 && n != port["containerPort"] {
			c.add(field.Invalid(at.Child("hostPort"), n, "must match `containerPort` when `hostNetwork` is true"))
		}
	})
}

func userAndGroups(c *checks, at *field.Path, v any) {
	for _, name := range []string{"runAsUser", "runAsGroup", "fsGroup"} {
		c.descend(at, v, name, between(0, maxInt32))
	}
}

// requestsWithinLimits checks that no request is above its limit.
func requestsWithinLimits(c *checks, at *field.Path, v any) {
	resources, _ := v.(map[string]any)
	requests, limits := mapAt(resources, "requests"), mapAt(resources, "limits")
	for _, list := range []string{"limits", "requests"} {
		for _, name := range slices.Sorted(maps.Keys(mapAt(resources, list))) {
			amount := text(mapAt(resources, list), name)
			if q, err := quantity.Parse(amount); err == nil && q.Sign() < 0 {
				c.add(field.Invalid(at.Child(list).Key(name), amount, "must be greater than or equal to 0"))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		request, limit := text(requests, name), text(limits, name)
		if limit == "" {
			continue
		}
		r, err := quantity.Parse(request)
		if err != nil {
			continue // of the wrong type, which is reported elsewhere
		}
		if l, err := quantity.Parse(limit); err == nil && r.Compare(l) > 0 {
			c.add(field.Invalid(at.Child("requests"), request, "must be less than or equal to "+name+" limit of "+limit))
		}
	}
}

// volumeTypes are the sources of volumes, in the order in which a server looks for them.
var volumeTypes = []string{
	"emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi", "glusterfs", "flocker",
	"persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc", "flexVolume", "configMap", "azureFile", "vsphereVolume",
	"photonPersistentDisk", "portworxVolume", "azureDisk", "storageos", "projected", "scaleIO", "csi", "ephemeral", "image",
}

// volumePaths are the names of volume types in errors, where they are not those of the fields.
var volumePaths = map[string]string{"cephfs": "cephFS", "downwardAPI": "downwarAPI"}

// volumeSources are the constraints of volume types. A server checks the first source of a volume.
var volumeSources = map[string][]constraint{
	"configMap":             {{"", required("name", "")}},
	"secret":                {{"", required("secretName", "")}},
	"persistentVolumeClaim": {{"", required("claimName", "")}},
	"hostPath": {{"", func(c *checks, at *field.Path, v any) {
		volume, _ := v.(map[string]any)
		if c.required(at.Child("path"), volume["path"], "") {
			c.descend(at, v, "path", withoutParents)
			c.descend(at, v, "type", oneOf("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"))
		}
	}}},
}

// volumes checks the volumes of a Pod and their mounts.
func (c *checks) volumes(at *field.Path, spec map[string]any) {
	known, valid := map[string]bool{}, map[string]bool{}
	for _, v := range c.claims {
		claim, _ := v.(map[string]any)
		known[text(metadata(claim), "name")] = true
	}
	for i, v := range listAt(spec, "volumes") {
		volume, _ := v.(map[string]any)
		if len(c.claims) > 0 { // a server checks them together with those for the claims
			known[text(volume, "name")] = true
			continue
		}
		at := at.Child("volumes").Index(i)
		name, before := text(volume, "name"), c.errs.Len()
		c.required(at.Child("name"), name, "")
		named(format.DNS1123Label)(c, at.Child("name"), name)
		if valid[name] {
			c.add(field.Duplicate(at.Child("name"), name))
		}
		found := false
		for _, source := range volumeTypes {
			switch {
			case volume[source] == nil:
			case found:
				c.add(field.Forbidden(at.Child(cmp.Or(volumePaths[source], source)), "may not specify more than 1 volume type"))
			default:
				found = true
				c.constrain(at.Child(source), volume[source], volumeSources[source])
			}
		}
		known[name] = true
		if c.errs.Len() == before && plainVolume(volume) {
			valid[name] = true
		}
	}
	for _, list := range []string{"containers", "initContainers"} {
		c.constrain(at, spec, []constraint{{list + "[].volumeMounts[]", func(c *checks, at *field.Path, v any) {
			mount, _ := v.(map[string]any)
			name := text(mount, "name")
			c.required(at.Child("name"), name, "")
			if !known[name] {
				c.add(field.NotFound(at.Child("name"), name))
			}
		}}})
	}
}

// plainVolume reports whether the volume of one source is valid for a server if it is here, so that its name is taken.
func plainVolume(volume map[string]any) bool {
	for _, source := range []string{"emptyDir", "configMap", "secret", "persistentVolumeClaim"} {
		if of, is := volume[source].(map[string]any); is {
			return of["items"] == nil && of["medium"] == nil && of["sizeLimit"] == nil
		}
	}
	return false
}

var serviceConstraints = []constraint{
	{"spec.ports[].name", named(format.DNS1123Label)},
	{"spec.ports", distinctPorts},
	{"spec", nodePorts},
	{"spec", func(c *checks, at *field.Path, v any) {
		if spec, _ := v.(map[string]any); text(spec, "type") == externalName {
			c.descend(at, v, "externalName", named(format.DNS1123Subdomain))
		}
	}},
	{"spec.externalIPs", func(c *checks, at *field.Path, v any) {
		had := map[string]bool{}
		for _, ip := range listAt(mapAt(c.old, "spec"), "externalIPs") {
			s, _ := ip.(string)
			had[s] = true
		}
		list, _ := v.([]any)
		for i, ip := range list {
			s, _ := ip.(string)
			if why := addressMessage(s); why != "" && !had[s] {
				c.add(field.Invalid(at.Index(i), s, why))
			}
		}
	}},
	{"spec", func(c *checks, at *field.Path, v any) {
		if spec, _ := v.(map[string]any); text(spec, "sessionAffinity") != "ClientIP" {
			return
		}
		c.descend(at, v, "sessionAffinityConfig.clientIP.timeoutSeconds", func(c *checks, at *field.Path, v any) {
			if n, ok := v.(int64); ok && (n <= 0 || n > 86400) {
				c.add(field.Invalid(at, n, "must be greater than 0 and less than 86400"))
			}
		})
	}},
	{"spec.ports[].protocol", protocols},
	{"spec.ports[].targetPort", numberOrName},
	{"spec.selector", labels},
	{"spec.sessionAffinity", oneOf("ClientIP", "None")},
	{"spec.type", oneOf("ClusterIP", externalName, "LoadBalancer", "NodePort")},
	{"spec.ipFamilyPolicy", oneOf("PreferDualStack", requireDualStack, singleStack)},
	{"spec.internalTrafficPolicy", oneOf("Cluster", "Local")},
	{"spec", externalTraffic},
	{"spec", onlyOutside},
	{"spec.trafficDistribution", func(c *checks, at *field.Path, v any) {
		if s, _ := v.(string); s != "PreferClose" && s != "PreferSameZone" && s != "PreferSameNode" {
			c.add(field.NotSupported(at, s, "PreferClose", "PreferSameZone", "PreferSameNode"))
		}
	}},
}

// onlyOutside checks the fields of a new Service that are for load balancers.
func onlyOutside(c *checks, at *field.Path, v any) {
	spec, _ := v.(map[string]any)
	if c.old != nil { // an update that changes the type also removes them
		return
	}
	for _, name := range []string{"allocateLoadBalancerNodePorts", "loadBalancerClass"} {
		if spec[name] != nil && text(spec, "type") != "LoadBalancer" {
			c.add(field.Forbidden(at.Child(name), "may only be used when `type` is 'LoadBalancer'"))
		} else if name == "loadBalancerClass" {
			c.present(at.Child(name), spec[name], format.QualifiedName)
		}
	}
}

// A goPort has the names of the fields of a server's Go type, which errors show.
type goPort struct {
	Name        string
	Protocol    any
	AppProtocol any
	Port        any
	TargetPort  int
	NodePort    int
}

// distinctPorts allows each port of a protocol once.
func distinctPorts(c *checks, at *field.Path, v any) {
	seen := map[[2]any]bool{}
	list, _ := v.([]any)
	for i, item := range list {
		port, _ := item.(map[string]any)
		key := [2]any{text(port, "protocol"), port["port"]}
		if seen[key] {
			c.add(field.Duplicate(at.Index(i), goPort{Protocol: port["protocol"], Port: port["port"]}))
		}
		seen[key] = true
	}
}

// nodePorts checks that only Services with ports of nodes have them.
func nodePorts(c *checks, at *field.Path, v any) {
	spec, _ := v.(map[string]any)
	typ := text(spec, "type")
	c.descend(at, v, "ports[].nodePort", func(c *checks, at *field.Path, v any) {
		if v != int64(0) && (typ == "ClusterIP" || typ == externalName) {
			c.add(field.Forbidden(at, "may not be used when `type` is '"+typ+"'"))
		}
	})
}

// externalTraffic checks how a Service handles traffic from outside the cluster.
func externalTraffic(c *checks, at *field.Path, v any) {
	spec, _ := v.(map[string]any)
	policy := text(spec, "externalTrafficPolicy")
	at = at.Child("externalTrafficPolicy")
	switch {
	case policy == "":
	case !reachableOutside(spec):
		c.add(field.Invalid(at, policy, "may only be set for externally-accessible services"))
	default:
		oneOf("Cluster", "Local")(c, at, policy)
	}
}

// A goStrategy has the names of the fields of a server's Go type, which errors show.
type goStrategy struct{ Type, RollingUpdate any }

// goStrategyOf returns a strategy of that type.
func goStrategyOf(typ string, strategy map[string]any) goStrategy {
	rolling, has := strategy["rollingUpdate"].(map[string]any)
	if !has {
		return goStrategy{Type: typ}
	}
	return goStrategy{typ, struct{ MaxUnavailable, MaxSurge any }{rolling["maxUnavailable"], rolling["maxSurge"]}}
}

var deploymentConstraints = []constraint{{"spec.strategy", func(c *checks, at *field.Path, v any) {
	strategy, _ := v.(map[string]any)
	rolling := mapAt(strategy, "rollingUpdate")
	switch typ := text(strategy, "type"); typ {
	case "Recreate":
		if strategy["rollingUpdate"] != nil {
			c.add(field.Forbidden(at.Child("rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'"))
		}
	case "RollingUpdate":
		at = at.Child("rollingUpdate")
		before := c.errs.Len()
		c.descend(at, rolling, "maxUnavailable", numberOrPercent)
		c.descend(at, rolling, "maxSurge", numberOrPercent)
		c.descend(at, rolling, "maxUnavailable", atMostAll)
		if c.errs.Len() == before && none(rolling["maxUnavailable"]) && none(rolling["maxSurge"]) {
			c.add(field.Invalid(at.Child("maxUnavailable"), rolling["maxUnavailable"], "may not be 0 when `maxSurge` is 0"))
		}
	default:
		c.add(field.NotSupported(at, goStrategyOf(typ, strategy), "Recreate", "RollingUpdate"))
	}
}}, {"spec", func(c *checks, at *field.Path, v any) {
	spec, _ := v.(map[string]any)
	ready, _ := spec["minReadySeconds"].(int64)
	if deadline, ok := spec["progressDeadlineSeconds"].(int64); ok && deadline >= 0 && deadline <= ready {
		c.add(field.Invalid(at.Child("progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds"))
	}
}}}

// atMostAll allows percentages up to 100.
func atMostAll(c *checks, at *field.Path, v any) {
	s, _ := v.(string)
	if n, err := strconv.Atoi(strings.TrimSuffix(s, "%")); err == nil && percent.MatchString(s) && n > 100 {
		c.add(field.Invalid(at, s, "must not be greater than 100%"))
	}
}

// none reports whether a number or percentage is zero.
func none(v any) bool {
	s, ok := v.(string)
	return v == int64(0) || ok && strings.Trim(s, "0") == "%"
}

var statefulSetConstraints = []constraint{
	{"spec.podManagementPolicy", func(c *checks, at *field.Path, v any) {
		if v != "OrderedReady" && v != "Parallel" {
			c.add(field.Invalid(at, v, "must be 'OrderedReady' or 'Parallel'"))
		}
	}},
	{"spec.updateStrategy", func(c *checks, at *field.Path, v any) {
		strategy, _ := v.(map[string]any)
		if typ := text(strategy, "type"); typ != "RollingUpdate" && typ != "OnDelete" {
			value := goStrategy{Type: typ}
			if rolling, has := strategy["rollingUpdate"].(map[string]any); has {
				value.RollingUpdate = struct{ Partition, MaxUnavailable any }{rolling["partition"], rolling["maxUnavailable"]}
			}
			c.add(field.Invalid(at, value, "must be 'RollingUpdate' or 'OnDelete'"))
		}
	}},
	{"spec.persistentVolumeClaimRetentionPolicy.whenDeleted", oneOf("Retain", "Delete")},
	{"spec.persistentVolumeClaimRetentionPolicy.whenScaled", oneOf("Retain", "Delete")},
}

var daemonSetConstraints = []constraint{{"spec.updateStrategy", func(c *checks, at *field.Path, v any) {
	strategy, _ := v.(map[string]any)
	if typ := text(strategy, "type"); typ != "RollingUpdate" && typ != "OnDelete" {
		c.add(field.NotSupported(at, goStrategyOf(typ, strategy), "RollingUpdate", "OnDelete"))
	}
}}}

// jobConstraints are those of the spec of a Job.
var jobConstraints = []constraint{
	{"completionMode", oneOf("NonIndexed", "Indexed")},
	{"", func(c *checks, at *field.Path, v any) {
		policies := []string{"Failed", "TerminatingOrFailed"}
		if spec, _ := v.(map[string]any); spec["podFailurePolicy"] != nil {
			policies = policies[:1]
		}
		c.descend(at, v, "podReplacementPolicy", oneOf(policies...))
	}},
}

var cronJobConstraints = []constraint{
	{"spec.schedule", func(c *checks, at *field.Path, v any) {
		s, _ := v.(string)
		if fields := strings.Fields(s); s != "" && !strings.HasPrefix(s, "@") && !strings.HasPrefix(s, "TZ=") && !strings.HasPrefix(s, "CRON_TZ=") && len(fields) != 5 {
			c.add(field.Invalid(at, s, fmt.Sprintf("expected exactly 5 fields, found %d: %v", len(fields), fields)))
		}
	}},
	{"spec.concurrencyPolicy", oneOf("Allow", "Forbid", "Replace")},
}

var (
	accessModes = allOneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
	volumeModes = oneOf("Block", "Filesystem")
)

var claimConstraints = []constraint{
	{"spec.accessModes", accessModes},
	{"spec.resources.requests.storage", func(c *checks, _ *field.Path, v any) {
		s, _ := v.(string)
		if q, err := quantity.Parse(s); err == nil && q.Sign() <= 0 {
			c.add(field.Invalid(specPath.Child("resources").Key("storage"), s, "must be greater than zero"))
		}
	}},
	{"spec.storageClassName", named(format.DNS1123Subdomain)},
	{"spec.volumeMode", volumeModes},
}

var networkPolicyConstraints = []constraint{
	{"spec.ingress[].ports[].protocol", oneOf("TCP", "UDP", "SCTP")},
	{"spec.ingress[].from[]", peer},
	{"spec.egress[].ports[].protocol", oneOf("TCP", "UDP", "SCTP")},
	{"spec.egress[].to[]", peer},
	{"spec.policyTypes[]", oneOf("Ingress", "Egress")},
}

var policySelectors = selectorConstraints("spec.podSelector", "spec.ingress[].from[].podSelector", "spec.ingress[].from[].namespaceSelector",
	"spec.egress[].to[].podSelector", "spec.egress[].to[].namespaceSelector")

func checkNetworkPolicy(c *checks, obj, old map[string]any) {
	policySelectors(c, obj, old)
	c.constrain(nil, obj, networkPolicyConstraints)
}

// peer checks whom a NetworkPolicy lets through.
func peer(c *checks, at *field.Path, v any) {
	p, _ := v.(map[string]any)
	if len(p) == 0 {
		c.add(field.Required(at, "must specify a peer"))
	}
	if p["ipBlock"] != nil && (p["podSelector"] != nil || p["namespaceSelector"] != nil) {
		c.add(field.Forbidden(at, "may not specify both ipBlock and another peer"))
	}
	c.descend(at, v, "ipBlock", required("cidr", ""))
	c.descend(at, v, "ipBlock.cidr", func(c *checks, at *field.Path, v any) {
		s, _ := v.(string)
		if _, err := netip.ParsePrefix(s); err != nil && s != "" {
			c.add(field.Invalid(at, s, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"))
		}
	})
}

// A goBudget has the names of the fields of a server's Go type, which errors show.
type goBudget struct{ MinAvailable, Selector, MaxUnavailable, UnhealthyPodEvictionPolicy any }

var budgetConstraints = []constraint{
	{"spec", func(c *checks, at *field.Path, v any) {
		spec, _ := v.(map[string]any)
		if spec["minAvailable"] != nil && spec["maxUnavailable"] != nil {
			value := goBudget{spec["minAvailable"], spec["selector"], spec["maxUnavailable"], spec["unhealthyPodEvictionPolicy"]}
			c.add(field.Invalid(at, value, "minAvailable and maxUnavailable cannot be both set"))
		}
	}},
	{"spec.minAvailable", numberOrPercent},
	{"spec.maxUnavailable", numberOrPercent},
	{"spec.unhealthyPodEvictionPolicy", oneOf("AlwaysAllow", "IfHealthyBudget")},
}

var budgetSelector = selectorConstraints("spec.selector")

func checkBudget(c *checks, obj, old map[string]any) {
	budgetSelector(c, obj, old)
	c.constrain(nil, obj, budgetConstraints)
}

var budgetStatusConstraints = []constraint{
	{"status.disruptionsAllowed", notNegative}, {"status.currentHealthy", notNegative},
	{"status.desiredHealthy", notNegative}, {"status.expectedPods", notNegative},
}

var storageClassConstraints = []constraint{
	{"reclaimPolicy", oneOf("Delete", "Retain")},
	{"volumeBindingMode", oneOf("Immediate", "WaitForFirstConsumer")},
}

func checkStorageClass(c *checks, obj, old map[string]any) {
	if old != nil {
		c.unchanged(nil, obj, old, "parameters")
		if !jsonval.Equal(obj["provisioner"], old["provisioner"]) {
			c.add(field.Invalid(field.NewPath("provisioner"), nil, immutable)) // without the value
		}
	}
	c.required(field.NewPath("provisioner"), obj["provisioner"], "")
	c.constrain(nil, obj, storageClassConstraints)
}

var priorityConstraints = []constraint{{"preemptionPolicy", oneOf("PreemptLowerPriority", "Never")}}
