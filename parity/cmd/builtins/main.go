// Builtins writes the table of built-in kinds that package server stores, server/internal/catalog/kinds.json, and the
// names of all kinds for the command, cmd/crdkit/internal/cli/builtin.txt.
//
//	cd parity && go run ./cmd/builtins
//
// It uses Kubernetes' published types: names, types and protobuf numbers of fields and the merge keys of strategic
// merge patches come from k8s.io/api, and the keys of lists from the OpenAPI document that client-go has for
// server-side apply.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/yaml"
)

// A kind is a line of the table.
type kind struct {
	Group      string         `json:"group"`
	Version    string         `json:"version"`
	Kind       string         `json:"kind"`
	Plural     string         `json:"plural"`
	ShortNames []string       `json:"shortNames,omitempty"`
	Categories []string       `json:"categories,omitempty"`
	Cluster    bool           `json:"cluster,omitempty"`        // not namespaced
	Status     bool           `json:"status,omitempty"`         // has the subresource
	Scale      bool           `json:"scale,omitempty"`          // has the subresource
	Generation bool           `json:"generation,omitempty"`     // counts changes of the spec
	Versioned  bool           `json:"versioned,omitempty"`      // updates need a resourceVersion
	Segments   bool           `json:"segments,omitempty"`       // names are segments of a path
	Initial    map[string]any `json:"initial,omitzero"`         // the status of a new object
	Creates    bool           `json:"createsStatus,omitempty"`  // a create may set the status
	Returns    bool           `json:"returnsDeleted,omitempty"` // the answer to a DELETE is the object
	Keeps      []string       `json:"keeps,omitempty"`          // metadata that a write to the status does not change
	Selectable []string       `json:"selectable,omitempty"`     // paths for field selectors; package catalog has those that are no paths
	Type       string         `json:"type"`

	DeprecatedIn int    `json:"deprecatedIn,omitempty"` // the minor version
	Deprecation  string `json:"deprecation,omitempty"`  // the warning since then
}

// A field is one of a type.
type field struct {
	Name    string   `json:"name,omitempty"` // empty: the fields of the type are in its place, but for protobuf
	Number  int      `json:"number,omitempty"`
	Type    string   `json:"type"`
	Go      string   `json:"go,omitempty"`   // the name of the Go type, if it does not follow from Type
	List    string   `json:"list,omitempty"` // x-kubernetes-list-type, if it is not atomic
	Keys    []string `json:"keys,omitempty"`
	Default any      `json:"default,omitempty"` // of a key of a list
	Merge   bool     `json:"merge,omitempty"`   // a strategic merge patch merges the list
	Key     string   `json:"key,omitempty"`     // by this field, or by the values themselves
	Retain  bool     `json:"retain,omitempty"`  // a strategic merge patch may say which keys are left
	Omit    bool     `json:"omit,omitempty"`    // a zero, or an empty list or map, is left out of JSON; a zero is in protobuf nevertheless
	Atomic  bool     `json:"atomic,omitempty"`  // a map whose values have no owners of their own
	Always  any      `json:"always,omitzero"`   // what JSON has if nothing is set
}

// A typ is a struct.
type typ struct {
	Atomic bool    `json:"atomic,omitempty"`
	Fields []field `json:"fields"`
}

// A listing has the types of the OpenAPI document.
type listing struct {
	Types []smdType `json:"types"`
}

type smdType struct {
	Name string `json:"name"`
	smdAtom
}

type smdAtom struct {
	NamedType           string   `json:"namedType"`
	ElementRelationship string   `json:"elementRelationship"`
	List                *smdList `json:"list"`
	Map                 *smdMap  `json:"map"`
}

type smdList struct {
	ElementRelationship string   `json:"elementRelationship"`
	Keys                []string `json:"keys"`
	ElementType         smdAtom  `json:"elementType"`
}

type smdMap struct {
	ElementRelationship string `json:"elementRelationship"`
	Fields              []struct {
		Name    string  `json:"name"`
		Type    smdAtom `json:"type"`
		Default any     `json:"default"`
	} `json:"fields"`
}

type table struct {
	Kinds []kind         `json:"kinds"`
	Types map[string]typ `json:"types"`

	published map[string]smdType
}

// allMetadata is what a write to the status does not change for kinds that keep all metadata.
var allMetadata = []string{"labels", "annotations", "finalizers", "ownerReferences"}

func main() {
	log.SetFlags(0)
	t := table{Types: map[string]typ{}}
	var err error
	if t.published, err = published(); err != nil {
		log.Fatal(err)
	}
	core := func(k kind, v any) { t.add(k, "", "v1", v) }
	core(kind{Plural: "configmaps", ShortNames: []string{"cm"}}, corev1.ConfigMap{})
	core(kind{Plural: "secrets", Selectable: []string{".type"}}, corev1.Secret{})
	core(kind{Returns: true, Plural: "services", ShortNames: []string{"svc"}, Categories: []string{"all"}, Status: true,
		Selectable: []string{".spec.clusterIP", ".spec.type"}}, corev1.Service{})
	core(kind{Returns: true, Plural: "serviceaccounts", ShortNames: []string{"sa"}}, corev1.ServiceAccount{})
	core(kind{Plural: "events", ShortNames: []string{"ev"}, Selectable: []string{".involvedObject.kind", ".involvedObject.namespace",
		".involvedObject.name", ".involvedObject.uid", ".involvedObject.apiVersion", ".involvedObject.resourceVersion", ".involvedObject.fieldPath",
		".reason", ".reportingComponent", ".type"}}, corev1.Event{})
	core(kind{Creates: true, Plural: "nodes", ShortNames: []string{"no"}, Cluster: true, Status: true}, corev1.Node{})
	core(kind{Returns: true, Keeps: []string{"ownerReferences"}, Plural: "pods", ShortNames: []string{"po"}, Categories: []string{"all"}, Status: true, Generation: true,
		Initial: map[string]any{"phase": "Pending"}, Selectable: []string{".spec.nodeName", ".spec.restartPolicy", ".spec.schedulerName",
			".spec.serviceAccountName", ".status.phase", ".status.nominatedNodeName"}}, corev1.Pod{})
	core(kind{Returns: true, Generation: true, Plural: "podtemplates"}, corev1.PodTemplate{})
	core(kind{Returns: true, Plural: "persistentvolumeclaims", ShortNames: []string{"pvc"}, Status: true, Initial: map[string]any{"phase": "Pending"}},
		corev1.PersistentVolumeClaim{})
	core(kind{Returns: true, Plural: "persistentvolumes", ShortNames: []string{"pv"}, Cluster: true, Status: true, Initial: map[string]any{"phase": "Pending"}},
		corev1.PersistentVolume{})
	core(kind{Plural: "endpoints", ShortNames: []string{"ep"}}, corev1.Endpoints{})
	core(kind{Plural: "limitranges", ShortNames: []string{"limits"}}, corev1.LimitRange{})
	core(kind{Returns: true, Plural: "resourcequotas", ShortNames: []string{"quota"}, Status: true}, corev1.ResourceQuota{})
	core(kind{Plural: "replicationcontrollers", ShortNames: []string{"rc"}, Categories: []string{"all"}, Status: true, Scale: true, Generation: true},
		corev1.ReplicationController{})
	workload := func(plural, short string, scale bool, v any) {
		t.add(kind{Plural: plural, ShortNames: []string{short}, Categories: []string{"all"}, Status: true, Scale: scale, Generation: true}, "apps", "v1", v)
	}
	t.add(kind{Plural: "deployments", ShortNames: []string{"deploy"}, Categories: []string{"all"}, Status: true, Scale: true, Generation: true,
		Keeps: []string{"labels"}}, "apps", "v1", appsv1.Deployment{})
	workload("statefulsets", "sts", true, appsv1.StatefulSet{})
	workload("daemonsets", "ds", false, appsv1.DaemonSet{})
	workload("replicasets", "rs", true, appsv1.ReplicaSet{})
	t.add(kind{Plural: "controllerrevisions"}, "apps", "v1", appsv1.ControllerRevision{})
	t.add(kind{Plural: "jobs", Categories: []string{"all"}, Status: true, Generation: true}, "batch", "v1", batchv1.Job{})
	t.add(kind{Plural: "cronjobs", ShortNames: []string{"cj"}, Categories: []string{"all"}, Status: true, Generation: true}, "batch", "v1", batchv1.CronJob{})
	t.add(kind{Generation: true, Plural: "horizontalpodautoscalers", ShortNames: []string{"hpa"}, Categories: []string{"all"}, Status: true}, "autoscaling", "v2",
		autoscalingv2.HorizontalPodAutoscaler{})
	const networking, rbac = "networking.k8s.io", "rbac.authorization.k8s.io"
	t.add(kind{Plural: "ingresses", ShortNames: []string{"ing"}, Status: true, Generation: true}, networking, "v1", networkingv1.Ingress{})
	t.add(kind{Plural: "ingressclasses", Cluster: true, Generation: true}, networking, "v1", networkingv1.IngressClass{})
	t.add(kind{Plural: "networkpolicies", ShortNames: []string{"netpol"}, Generation: true}, networking, "v1", networkingv1.NetworkPolicy{})
	t.add(kind{Plural: "roles", Segments: true}, rbac, "v1", rbacv1.Role{})
	t.add(kind{Plural: "rolebindings", Segments: true}, rbac, "v1", rbacv1.RoleBinding{})
	t.add(kind{Plural: "clusterroles", Cluster: true, Segments: true}, rbac, "v1", rbacv1.ClusterRole{})
	t.add(kind{Plural: "clusterrolebindings", Cluster: true, Segments: true}, rbac, "v1", rbacv1.ClusterRoleBinding{})
	t.add(kind{Plural: "poddisruptionbudgets", ShortNames: []string{"pdb"}, Status: true, Generation: true, Versioned: true}, "policy", "v1",
		policyv1.PodDisruptionBudget{})
	t.add(kind{Plural: "leases", Versioned: true}, "coordination.k8s.io", "v1", coordinationv1.Lease{})
	t.add(kind{Generation: true, Plural: "endpointslices"}, "discovery.k8s.io", "v1", discoveryv1.EndpointSlice{})
	t.add(kind{Plural: "events", ShortNames: []string{"ev"}, Selectable: []string{".regarding.kind", ".regarding.namespace", ".regarding.name",
		".regarding.uid", ".regarding.apiVersion", ".regarding.resourceVersion", ".regarding.fieldPath", ".reason", ".reportingController",
		".type"}}, "events.k8s.io", "v1", eventsv1.Event{})
	const admission = "admissionregistration.k8s.io"
	t.add(kind{Versioned: true, Plural: "mutatingwebhookconfigurations", Categories: []string{"api-extensions"}, Cluster: true, Generation: true}, admission, "v1",
		admissionv1.MutatingWebhookConfiguration{})
	t.add(kind{Versioned: true, Plural: "validatingwebhookconfigurations", Categories: []string{"api-extensions"}, Cluster: true, Generation: true}, admission, "v1",
		admissionv1.ValidatingWebhookConfiguration{})
	policy := func(plural string, status bool, v any) {
		t.add(kind{Plural: plural, Categories: []string{"api-extensions"}, Cluster: true, Status: status, Generation: true, Versioned: true, Keeps: allMetadata}, admission, "v1", v)
	}
	policy("validatingadmissionpolicies", true, admissionv1.ValidatingAdmissionPolicy{})
	policy("validatingadmissionpolicybindings", false, admissionv1.ValidatingAdmissionPolicyBinding{})
	policy("mutatingadmissionpolicies", false, admissionv1.MutatingAdmissionPolicy{})
	policy("mutatingadmissionpolicybindings", false, admissionv1.MutatingAdmissionPolicyBinding{})
	t.add(kind{Generation: true, Plural: "priorityclasses", ShortNames: []string{"pc"}, Cluster: true}, "scheduling.k8s.io", "v1", schedulingv1.PriorityClass{})
	t.add(kind{Versioned: true, Plural: "runtimeclasses", Cluster: true}, "node.k8s.io", "v1", nodev1.RuntimeClass{})
	storage := func(k kind, v any) { t.add(k, "storage.k8s.io", "v1", v) }
	storage(kind{Plural: "storageclasses", ShortNames: []string{"sc"}, Cluster: true}, storagev1.StorageClass{})
	storage(kind{Versioned: true, Plural: "csidrivers", Cluster: true}, storagev1.CSIDriver{})
	storage(kind{Keeps: allMetadata, Versioned: true, Plural: "csinodes", Cluster: true, Status: true}, storagev1.CSINode{})
	storage(kind{Versioned: true, Plural: "csistoragecapacities"}, storagev1.CSIStorageCapacity{})
	storage(kind{Keeps: allMetadata, Versioned: true, Plural: "volumeattachments", Cluster: true, Status: true}, storagev1.VolumeAttachment{})
	storage(kind{Plural: "volumeattributesclasses", ShortNames: []string{"vac"}, Cluster: true}, storagev1.VolumeAttributesClass{})
	const certificates = "certificates.k8s.io"
	t.add(kind{Plural: "certificatesigningrequests", ShortNames: []string{"csr"}, Cluster: true, Status: true, Selectable: []string{".spec.signerName"}},
		certificates, "v1", certificatesv1.CertificateSigningRequest{})
	t.add(kind{Versioned: true, Plural: "clustertrustbundles", Cluster: true, Selectable: []string{".spec.signerName"}}, certificates, "v1",
		certificatesv1.ClusterTrustBundle{})
	t.add(kind{Keeps: allMetadata, Versioned: true, Plural: "podcertificaterequests", Status: true,
		Selectable: []string{".spec.signerName", ".spec.podName", ".spec.nodeName"}}, certificates, "v1", certificatesv1.PodCertificateRequest{})
	t.add(kind{Keeps: allMetadata, Versioned: true, Plural: "storageversionmigrations", Cluster: true, Status: true}, "storagemigration.k8s.io", "v1",
		storagemigrationv1.StorageVersionMigration{})
	const flow = "flowcontrol.apiserver.k8s.io"
	t.add(kind{Keeps: allMetadata, Plural: "flowschemas", Cluster: true, Status: true, Generation: true}, flow, "v1", flowcontrolv1.FlowSchema{})
	t.add(kind{Keeps: allMetadata, Plural: "prioritylevelconfigurations", Cluster: true, Status: true, Generation: true}, flow, "v1",
		flowcontrolv1.PriorityLevelConfiguration{})
	t.add(kind{Plural: "ipaddresses", ShortNames: []string{"ip"}, Cluster: true}, networking, "v1",
		networkingv1.IPAddress{})
	t.add(kind{Keeps: allMetadata, Plural: "servicecidrs", Cluster: true, Status: true}, networking, "v1", networkingv1.ServiceCIDR{})
	device := func(k kind, v any) { t.add(k, "resource.k8s.io", "v1", v) }
	device(kind{Plural: "deviceclasses", Cluster: true, Generation: true}, resourcev1.DeviceClass{})
	device(kind{Keeps: allMetadata, Plural: "resourceclaims", Status: true}, resourcev1.ResourceClaim{})
	device(kind{Plural: "resourceclaimtemplates"}, resourcev1.ResourceClaimTemplate{})
	device(kind{Plural: "resourceslices", Cluster: true, Generation: true, Selectable: []string{".spec.nodeName", ".spec.driver"}},
		resourcev1.ResourceSlice{})
	device(kind{Keeps: allMetadata, Plural: "devicetaintrules", Cluster: true, Status: true, Generation: true}, resourcev1.DeviceTaintRule{})
	t.add(kind{Keeps: []string{"labels"}, Versioned: true, Plural: "apiservices", Categories: []string{"api-extensions"}, Cluster: true, Status: true}, "apiregistration.k8s.io", "v1",
		apiregistrationv1.APIService{})
	// What requests have besides objects.
	t.typeOf(reflect.TypeOf(corev1.Namespace{}))
	t.typeOf(reflect.TypeOf(metav1.DeleteOptions{}))
	t.typeOf(reflect.TypeOf(apiextensionsv1.CustomResourceDefinition{}))
	t.typeOf(reflect.TypeOf(autoscalingv1.Scale{}))
	t.typeOf(reflect.TypeOf(corev1.Binding{}))
	t.typeOf(reflect.TypeOf(policyv1.Eviction{}))
	for _, review := range []any{
		authenticationv1.TokenRequest{}, authenticationv1.TokenReview{}, authenticationv1.SelfSubjectReview{},
		authorizationv1.SubjectAccessReview{}, authorizationv1.LocalSubjectAccessReview{}, authorizationv1.SelfSubjectAccessReview{},
		authorizationv1.SelfSubjectRulesReview{},
	} {
		t.typeOf(reflect.TypeOf(review))
	}

	out, err := json.Marshal(t)
	if err != nil {
		log.Fatal(err)
	}
	// A line for each kind and type, for readers of diffs.
	text := strings.ReplaceAll(string(out), `]},"`, "]},\n\"")
	text = strings.ReplaceAll(text, `},{"group"`, "},\n{\"group\"")
	if err := os.WriteFile("../server/internal/catalog/kinds.json", []byte(text+"\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d kinds, %d types\n", len(t.Kinds), len(t.Types))
	if err := os.WriteFile(namesFile, []byte(names()), 0o644); err != nil {
		log.Fatal(err)
	}
}

// aggregatorTypes are those of the aggregator's kinds, which are not in client-go's document.
const aggregatorTypes = `
- name: io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus
  map:
    fields:
    - name: conditions
      type:
        list:
          elementType:
            namedType: io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition
          elementRelationship: associative
          keys:
          - type
- name: io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition
  map:
    fields: []
`

// published returns the types of the OpenAPI document.
func published() (map[string]smdType, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/client-go").Output()
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "applyconfigurations", "internal", "internal.go"))
	if err != nil {
		return nil, err
	}
	_, text, _ := strings.Cut(string(source), "typed.YAMLObject(`")
	text, _, _ = strings.Cut(text, "`")
	var l listing
	if err := yaml.Unmarshal([]byte(text+aggregatorTypes), &l); err != nil {
		return nil, err
	}
	out := map[string]smdType{}
	for _, t := range l.Types {
		out[t.Name] = t
	}
	return out, nil
}

// A deprecated is a kind that a server warns of.
type deprecated interface{ APILifecycleDeprecated() (major, minor int) }

func (t *table) add(k kind, group, version string, v any) {
	of := reflect.TypeOf(v)
	k.Group, k.Version, k.Kind, k.Type = group, version, of.Name(), t.typeOf(of)
	if k.Status {
		k.Initial = initial(reflect.ValueOf(v).FieldByName("Status").Interface(), k.Initial)
	}
	if d, ok := reflect.New(of).Interface().(deprecated); ok {
		_, k.DeprecatedIn = d.APILifecycleDeprecated()
		k.Deprecation = fmt.Sprintf("%s %s is deprecated in v1.%d+", path.Join(group, version), k.Kind, k.DeprecatedIn)
		if r, ok := d.(interface {
			APILifecycleReplacement() schema.GroupVersionKind
		}); ok {
			by := r.APILifecycleReplacement()
			k.Deprecation += fmt.Sprintf("; use %s %s", by.GroupVersion(), by.Kind)
		}
	}
	t.Kinds = append(t.Kinds, k)
}

// initial returns the JSON of an empty status, with the values that a server sets in a new object.
func initial(status any, values map[string]any) map[string]any {
	text, err := json.Marshal(status)
	if err != nil {
		log.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(text, &out); err != nil {
		log.Fatal(err)
	}
	// A server has no null in its store, but sends one.
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	maps.Copy(out, values)
	return out
}

// name returns the name of a struct: that of its definition in the OpenAPI document, without the common prefix.
func name(of reflect.Type) (short, full string) {
	within := strings.ReplaceAll(strings.TrimPrefix(of.PkgPath(), "k8s.io/"), "/", ".")
	full = "io.k8s." + within + "." + of.Name()
	short = strings.TrimPrefix(strings.TrimPrefix(within, "api."), "apimachinery.pkg.apis.") + "." + of.Name()
	return short, full
}

const apiextensions = "apiextensions-apiserver.pkg.apis.apiextensions.v1."

// special are types whose JSON is not that of their Go fields.
var special = map[string]string{
	"apimachinery.pkg.api.resource.Quantity": "quantity", "meta.v1.Time": "time", "meta.v1.MicroTime": "time",
	"meta.v1.Duration": "duration", "apimachinery.pkg.util.intstr.IntOrString": "intOrString",
	"apimachinery.pkg.runtime.RawExtension": "raw", "meta.v1.FieldsV1": "raw",
	apiextensions + "JSON": "json", apiextensions + "JSONSchemaPropsOrBool": "schemaOrBool",
	apiextensions + "JSONSchemaPropsOrArray": "schemaOrArray", apiextensions + "JSONSchemaPropsOrStringArray": "schemaOrStrings",
}

// typeOf returns the name of a type: a scalar type, [] or {} before the type of elements, or the name of a struct.
func (t *table) typeOf(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Pointer:
		return t.typeOf(of.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32, reflect.Int64, reflect.Uint32:
		return "int"
	case reflect.Float64:
		return "float"
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + t.typeOf(of.Elem())
	case reflect.Map:
		return "{}" + t.typeOf(of.Elem())
	case reflect.Struct:
		short, full := name(of)
		if word, ok := special[short]; ok {
			return word
		}
		if _, known := t.Types[short]; !known {
			t.Types[short] = typ{} // recursion ends here
			t.Types[short] = t.structOf(of, full)
		}
		return short
	}
	log.Fatalf("%v has no type", of)
	return ""
}

func (t *table) structOf(of reflect.Type, full string) (out typ) {
	p, known := t.published[full]
	if known && p.Map != nil {
		out.Atomic = p.Map.ElementRelationship == "atomic"
	}
	for i := range of.NumField() {
		f := of.Field(i)
		tag := strings.Split(f.Tag.Get("json"), ",")
		if tag[0] == "-" {
			continue
		}
		if f.Name == "TypeMeta" {
			if of == reflect.TypeOf(corev1.PersistentVolumeClaim{}) { // it is also a part of other objects
				out.Fields = append(out.Fields, field{Name: "apiVersion", Type: "string"}, field{Name: "kind", Type: "string"})
			}
			continue
		}
		if f.Anonymous && known { // the fields of an embedded type are published as those of this one
			if _, inner := name(f.Type); t.published[inner].Map == nil {
				t.published[inner] = p
			}
		}
		c := field{Name: tag[0], Type: t.typeOf(f.Type), Key: f.Tag.Get("patchMergeKey")}
		if c.Go = goName(f.Type); c.Go == usualName(c.Type) {
			c.Go = ""
		}
		strategies := strings.Split(f.Tag.Get("patchStrategy"), ",")
		c.Merge, c.Retain = slices.Contains(strategies, "merge"), slices.Contains(strategies, "retainKeys")
		c.Omit = slices.Contains(tag, "omitempty") && slices.Contains([]reflect.Kind{
			reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64, reflect.Slice, reflect.Map}, f.Type.Kind())
		if c.Name != "" && !slices.Contains(tag, "omitzero") && (f.Type.Kind() == reflect.Struct || !slices.Contains(tag, "omitempty")) {
			c.Always = always(f.Type.Kind(), c.Type)
		}
		if parts := strings.Split(f.Tag.Get("protobuf"), ","); len(parts) > 1 {
			c.Number, _ = strconv.Atoi(parts[1])
		}
		if known && p.Map != nil {
			for _, pf := range p.Map.Fields {
				if pf.Name != c.Name {
					continue
				}
				c.Atomic = pf.Type.Map != nil && pf.Type.Map.ElementRelationship == "atomic"
				if l := pf.Type.List; l != nil && l.ElementRelationship == "associative" {
					c.List, c.Keys = "set", l.Keys
					if len(l.Keys) > 0 {
						c.List = "map"
						t.defaults(c.Type, l.ElementType.NamedType, l.Keys)
					}
				}
			}
		}
		out.Fields = append(out.Fields, c)
	}
	return out
}

// goName returns the name that errors of a decoder have for a type.
func goName(of reflect.Type) string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return of.String()
}

// usualName returns the name of the Go type of most fields of a type. Package catalog has the same rules.
func usualName(of string) string {
	if element, ok := strings.CutPrefix(of, "[]"); ok {
		return "[]" + usualName(element)
	}
	if element, ok := strings.CutPrefix(of, "{}"); ok {
		return "map[string]" + usualName(element)
	}
	usual := map[string]string{
		"string": "string", "bool": "bool", "int": "int32", "float": "float64", "bytes": "[]uint8", "time": "v1.Time", "duration": "v1.Duration",
		"quantity": "resource.Quantity", "intOrString": "intstr.IntOrString", "raw": "runtime.RawExtension",
	}
	if name := usual[of]; name != "" {
		return name
	}
	parts := strings.Split(of, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

// always returns the JSON of a zero value; nil: null.
func always(kind reflect.Kind, of string) any {
	switch kind {
	case reflect.String:
		return ""
	case reflect.Bool:
		return false
	case reflect.Int32, reflect.Int64, reflect.Float64:
		return 0
	case reflect.Struct:
	default:
		return nil
	}
	switch of {
	case "quantity":
		return "0"
	case "intOrString":
		return 0
	case "time", "raw", "json", "schemaOrBool", "schemaOrArray", "schemaOrStrings":
		return nil
	case "duration":
		return "0s"
	}
	return map[string]any{}
}

// defaults sets the defaults of the keys of a list, such as the protocol of a port.
func (t *table) defaults(list, full string, keys []string) {
	element := t.Types[strings.TrimPrefix(list, "[]")]
	for _, pf := range t.published[full].Map.Fields {
		if !slices.Contains(keys, pf.Name) || pf.Default == nil || pf.Default == "" || pf.Default == 0.0 {
			continue
		}
		for i := range element.Fields {
			if element.Fields[i].Name == pf.Name {
				element.Fields[i].Default = pf.Default
			}
		}
	}
}
