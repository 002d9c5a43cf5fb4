package main

import (
	"encoding/json"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"
	printerstorage "k8s.io/kubernetes/pkg/printers/storage"

	definitions "k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/tableconvertor"
	apiservices "k8s.io/kube-aggregator/pkg/registry/apiservice/etcd"

	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/storage"
	"github.com/crdkit/crdkit/unstructured"
)

// Tables of package server have the columns and cells of Kubernetes, for all kinds in its catalog.
func TestColumns(t *testing.T) {
	keeper, err := catalog.NewKeeper(t.Context(), storage.NewMemory(storage.MemoryOptions{}), catalog.Options{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	kinds := keeper.Catalog().Kinds()
	listed, err := readKinds()
	require.NoError(t, err)
	require.Len(t, kinds, len(listed)+2) // with namespaces and definitions
	for _, served := range kinds {
		k := kind{served.Group, served.VersionName, served.Names.Kind, served.Type}
		t.Run(k.Type, func(t *testing.T) {
			columns, convertor := catalog.Columns(k.Type), convertors(k.Type)
			require.NotEmpty(t, columns)
			empty, err := k.newObject()
			require.NoError(t, err)
			scheme.Default(empty)
			require.True(t, k.compareTable(t, columns, convertor, empty))
			r, compared := newRandom(*seed), 0
			for range *objects {
				obj, err := k.newObject()
				require.NoError(t, err)
				r.object(obj)
				r.realistic(reflect.ValueOf(obj).Elem(), time.Now().Truncate(time.Second))
				scheme.Default(obj)
				if k.compareTable(t, columns, convertor, obj) {
					compared++
				}
			}
			require.Greater(t, compared, *objects/2)
		})
	}
}

// convertors returns what makes the tables of a type in Kubernetes: its printers, unless the storage of the kind has
// another one.
func convertors(of string) rest.TableConvertor {
	switch of {
	case "core.v1.LimitRange", "rbac.v1.Role", "rbac.v1.ClusterRole", "storage.v1.CSIStorageCapacity":
		return rest.NewDefaultTableConvertor(schema.GroupResource{})
	case catalog.DefinitionType:
		return definitions.New()
	case "kube-aggregator.pkg.apis.apiregistration.v1.APIService":
		return new(apiservices.REST)
	}
	return printerstorage.TableConvertor{TableGenerator: printers.NewTableGenerator().With(internalversion.AddHandlers)}
}

// compareTable compares the tables of an object, as it is stored. It returns false if the object has no internal form.
func (k kind) compareTable(t *testing.T, columns []catalog.Column, convertor rest.TableConvertor, obj runtime.Object) bool {
	internal, err := scheme.ConvertToVersion(obj, schema.GroupVersion{Group: k.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return false
	}
	table, err := convertor.ConvertToTable(t.Context(), internal, nil)
	require.NoError(t, err)
	stored, err := scheme.ConvertToVersion(internal, schema.GroupVersion{Group: k.Group, Version: k.Version})
	require.NoError(t, err)
	text, err := json.Marshal(stored)
	require.NoError(t, err)
	ours, err := unstructured.DecodeJSON(text)
	require.NoError(t, err)
	var names, wantNames, cells, wantCells []any
	for _, c := range columns {
		names = append(names, c.Name, c.Type, c.Wide)
		cells = append(cells, c.Cell(ours, time.Now()))
	}
	for i, c := range table.ColumnDefinitions { // an IPAddress has a cell without a column
		wantNames = append(wantNames, c.Name, c.Type, c.Priority > 0)
		wantCells = append(wantCells, table.Rows[0].Cells[i])
	}
	require.Equal(t, wantNames, names)
	require.EqualValues(t, normalCells(wantCells), normalCells(cells), "%s", text)
	return true
}

// values are those on which cells depend, by the name of their Go type.
var values = map[string][]string{
	"APIServiceConditionType":                {"Available"},
	"ContainerRestartPolicy":                 {"Always", "Never"},
	"ConditionStatus":                        {"True", "False", "Unknown"},
	"CustomResourceDefinitionConditionType":  {"Established", "NamesAccepted"},
	"FlowSchemaConditionType":                {"Dangling"},
	"JobConditionType":                       {"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"},
	"NodeAddressType":                        {"InternalIP", "ExternalIP", "Hostname"},
	"NodeConditionType":                      {"Ready", "DiskPressure"},
	"PersistentVolumeAccessMode":             {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"},
	"PodConditionType":                       {"Ready", "Initialized", "PodScheduled"},
	"PodPhase":                               {"Pending", "Running", "Succeeded", "Failed"},
	"RequestConditionType":                   {"Approved", "Denied", "Failed"},
	"ServiceType":                            {"ClusterIP", "NodePort", "LoadBalancer", "ExternalName"},
	"conditions without a type of their own": {"Issued", "Denied", "Failed", "Running", "Succeeded"},
}

func (r random) oneOf(of []string) string { return of[r.IntN(len(of))] }

// realistic changes a random object to one that a server may have: it has times, conditions, valid selectors and
// references.
func (r random) realistic(v reflect.Value, now time.Time) {
	if known := values[v.Type().Name()]; v.Kind() == reflect.String && known != nil {
		v.SetString(r.oneOf(known))
	}
	switch x := v.Addr().Interface().(type) {
	case *metav1.Time:
		*x = metav1.Time{Time: r.past(now)}
		return
	case *metav1.MicroTime:
		*x = metav1.MicroTime{Time: r.past(now)}
		return
	case *metav1.Condition:
		x.Type = r.oneOf(values["conditions without a type of their own"])
	case *metav1.OwnerReference:
		x.APIVersion = r.oneOf([]string{"v1", "apps/v1"})
	case *metav1.LabelSelector:
		for name := range x.MatchLabels {
			x.MatchLabels[name] = "v"
		}
	case *metav1.LabelSelectorRequirement:
		x.Key, x.Operator = r.oneOf([]string{"a", "b"}), metav1.LabelSelectorOperator(r.oneOf([]string{"In", "NotIn", "Exists", "DoesNotExist"}))
		if x.Values = []string{"y", "x"}; slices.Contains([]string{"Exists", "DoesNotExist"}, string(x.Operator)) {
			x.Values = nil
		}
	case *metav1.ObjectMeta:
		if r.IntN(2) == 0 {
			x.Labels = map[string]string{"node-role.kubernetes.io/" + r.oneOf([]string{"", "b"}): "", "kubernetes.io/role": r.oneOf([]string{"", "a"})}
			x.Annotations = map[string]string{
				"ingressclass.kubernetes.io/is-default-class": r.oneOf([]string{"true", "false"}), "volume.beta.kubernetes.io/storage-class": r.oneOf([]string{"", "a"}),
			}
		}
	case *corev1.PodStatus:
		x.Reason = r.oneOf([]string{"", "", "NodeLost", "Evicted"})
	case *corev1.PodCondition:
		x.Reason = r.oneOf([]string{"", "", "SchedulingGated"})
	case *corev1.ContainerStateWaiting:
		x.Reason = r.oneOf([]string{"", "PodInitializing", "ImagePullBackOff"})
	case *corev1.Container:
		x.Name = r.oneOf([]string{"a", "b"})
	case *corev1.ContainerStatus:
		x.Name = r.oneOf([]string{"a", "b"})
	case *corev1.ContainerStateTerminated:
		x.Reason = r.oneOf([]string{"", "Completed", "Completed", "Error"})
	case *corev1.ServiceSpec:
		if x.ClusterIPs = nil; x.ClusterIP != "" {
			x.ClusterIPs = []string{x.ClusterIP}
		}
	case *corev1.ResourceList:
		if *x != nil && r.IntN(2) == 0 {
			(*x)["limits.cpu"], (*x)["storage"] = resource.MustParse("2"), resource.MustParse("1Gi")
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if of := v.Type().Elem(); v.IsNil() && (of == reflect.TypeFor[metav1.Time]() || of == reflect.TypeFor[metav1.MicroTime]()) && r.IntN(3) == 0 {
			v.Set(reflect.New(of))
		}
		if v.IsNil() {
			return
		}
		if r.realistic(v.Elem(), now); slices.Contains(scalars, v.Type().Elem()) && v.Elem().IsZero() {
			v.SetZero()
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 && r.IntN(4) == 0 {
			v.Set(reflect.AppendSlice(v, v)) // some cells show only the first elements
		}
		for i := range v.Len() {
			r.realistic(v.Index(i), now)
		}
	case reflect.Struct:
		if slices.Contains(scalars, v.Type()) {
			return
		}
		source := ""
		for i := range v.NumField() {
			r.realistic(v.Field(i), now)
			if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
				source = v.Type().Field(i).Name
			}
		}
		if v.Type().Name() == "MetricSpec" { // its type is the name of one of its fields
			v.FieldByName("Type").SetString(source)
		}
	}
}

// past returns a time at which an age does not change while a test runs, or none.
func (r random) past(now time.Time) time.Time {
	if r.IntN(5) == 0 {
		return time.Time{}
	}
	return now.Add(-time.Duration([]int{305, 755, 3005}[r.IntN(3)]) * 6 * time.Minute)
}

// normalCells returns cells as JSON has them.
func normalCells(cells []any) []any {
	out := make([]any, len(cells))
	for i, c := range cells {
		switch x := c.(type) {
		case int:
			c = int64(x)
		case int32:
			c = int64(x)
		}
		out[i] = c
	}
	return out
}
