package catalog

import (
	"cmp"
	"strconv"
)

// A fieldValue returns the text of an object that a label of a field selector is compared with.
type fieldValue = func(obj map[string]any) string

// selectableFields are the labels of field selectors of built-in kinds that are no paths of fields, or whose fields
// count as zero or false if an object does not have them. kinds.json has the others.
var selectableFields = map[string]map[string]fieldValue{
	"core.v1.Pod": {
		"spec.host":        stringField("spec", "nodeName"), // the field's former name
		"spec.hostNetwork": boolField("spec", "hostNetwork"),
		"status.podIP":     firstPodIP,
		"status.podIPs":    func(document) string { return "" }, // a server accepts the label, and has no value for it
	},
	"core.v1.Node":                          {"spec.unschedulable": boolField("spec", "unschedulable")},
	"core.v1.ReplicationController":         {"status.replicas": numberField("status", "replicas")},
	"core.v1.Event":                         {"source": eventComponent},
	"batch.v1.Job":                          {"status.successful": numberField("status", "succeeded")},
	"certificates.v1.PodCertificateRequest": {"metadata.namespace": nil},
	NamespaceType:                           {"status.phase": stringField("status", "phase")},
}

// unknownFields are the formats of the errors for other labels, of the kinds that have their own.
var unknownFields = map[string]string{
	"batch.v1.Job":              "field label %q not supported for Job",
	"resource.v1.ResourceSlice": "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: %s",
}

func stringField(parent, name string) fieldValue {
	return func(obj document) string {
		text, _ := child(obj, parent)[name].(string)
		return text
	}
}

func boolField(parent, name string) fieldValue {
	return func(obj document) string { return strconv.FormatBool(child(obj, parent)[name] == true) }
}

func numberField(parent, name string) fieldValue {
	return func(obj document) string {
		n, _ := child(obj, parent)[name].(int64)
		return strconv.FormatInt(n, 10)
	}
}

// firstPodIP returns the first of the addresses of a Pod.
func firstPodIP(obj document) string {
	addresses, _ := child(obj, "status")["podIPs"].([]any)
	if len(addresses) == 0 {
		return stringField("status", "podIP")(obj)
	}
	first, _ := addresses[0].(document)
	ip, _ := first["ip"].(string)
	return ip
}

// eventComponent returns the component that an Event is from.
func eventComponent(obj document) string {
	controller, _ := obj["reportingComponent"].(string)
	return cmp.Or(stringField("source", "component")(obj), controller)
}
