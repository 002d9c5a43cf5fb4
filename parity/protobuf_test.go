package parity

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/crdkit/crdkit/server"
)

// What generated clients send in protobuf is, to package server, what they send in JSON.
func TestProtobufBodies(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, networkingv1.AddToScheme, apiextensionsv1.AddToScheme} {
		require.NoError(t, add(scheme))
	}
	serializer := protobuf.NewSerializer(scheme, scheme)
	s, err := server.New(t.Context(), server.Options{})
	require.NoError(t, err)
	defer s.Close()
	one, negative, yes, half, pathType := int32(1), int32(-1), true, 0.5, networkingv1.PathTypePrefix
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b", "c": ""}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "c", Image: "i", Command: []string{"x", ""}, Env: []corev1.EnvVar{{Name: "E", Value: ""}, {Name: "F", ValueFrom: &corev1.EnvVarSource{
					ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "m"}, Key: "k", Optional: &yes}}}},
				Ports:         []corev1.ContainerPort{{ContainerPort: 80}, {ContainerPort: 81, Protocol: "UDP"}},
				Resources:     corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("250m")}},
				LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromString("web")}}, PeriodSeconds: 7},
			}},
			Priority: &negative,
			Volumes:  []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		},
	}
	once := template
	once.Spec.RestartPolicy = corev1.RestartPolicyNever
	for _, c := range []struct {
		name, path string
		object     interface {
			runtime.Object
			metav1.Object
		}
	}{
		{"ConfigMap", "/api/v1/namespaces/default/configmaps", &corev1.ConfigMap{Data: map[string]string{"a": "b"}, BinaryData: map[string][]byte{"c": {0, 255}}, Immutable: &yes}},
		{"Secret", "/api/v1/namespaces/default/secrets", &corev1.Secret{StringData: map[string]string{"a": "b"}, Data: map[string][]byte{"c": []byte("d")}}},
		{"Service", "/api/v1/namespaces/default/services", &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "a", Port: 80, TargetPort: intstr.FromInt32(8080)}, {Name: "b", Port: 81}}}}},
		{"Deployment", "/apis/apps/v1/namespaces/default/deployments", &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: &one, Template: template,
			Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Exists"}}}}}},
		{"Job", "/apis/batch/v1/namespaces/default/jobs", &batchv1.Job{Spec: batchv1.JobSpec{Template: once, Completions: &one}}},
		{"Ingress", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", &networkingv1.Ingress{Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{
			Host: "h", IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
				Path: "/", PathType: &pathType, Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "s", Port: networkingv1.ServiceBackendPort{Number: 80}}},
			}}}}}}}}},
		{"CustomResourceDefinition", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: "Cluster", Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "x", Kind: "X"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
				OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"n": {Type: "number", Minimum: &half, Default: &apiextensionsv1.JSON{Raw: []byte(`0.75`)}},
					"l": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"a"`)}}}}},
					"m": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &apiextensionsv1.JSONSchemaProps{Type: "boolean"}}},
					"p": {Type: "object", XPreserveUnknownFields: &yes, XValidations: apiextensionsv1.ValidationRules{{Rule: "true"}}},
				}},
			}}},
		}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			post := func(name string, contentType string, encode func(io.Writer) error) map[string]any {
				kinds, _, err := scheme.ObjectKinds(c.object)
				require.NoError(t, err)
				c.object.GetObjectKind().SetGroupVersionKind(kinds[0])
				c.object.SetName(name)
				var body bytes.Buffer
				require.NoError(t, encode(&body))
				r, err := http.NewRequest(http.MethodPost, "http://server"+c.path+"?fieldManager=test&dryRun=All", &body)
				require.NoError(t, err)
				r.Header.Set("Content-Type", contentType)
				answer, err := s.RoundTripper().RoundTrip(r)
				require.NoError(t, err)
				defer answer.Body.Close()
				text, err := io.ReadAll(answer.Body)
				require.NoError(t, err)
				require.Equal(t, http.StatusCreated, answer.StatusCode, "%s", text)
				var obj map[string]any
				require.NoError(t, json.Unmarshal(text, &obj))
				uid, _ := obj["metadata"].(map[string]any)["uid"].(string)
				require.NotEmpty(t, uid)
				require.NoError(t, json.Unmarshal(bytes.ReplaceAll(text, []byte(uid), []byte("UID")), &obj)) // a Job has it in labels
				meta := obj["metadata"].(map[string]any)
				for _, key := range []string{"uid", "creationTimestamp"} {
					delete(meta, key)
				}
				for _, m := range meta["managedFields"].([]any) {
					delete(m.(map[string]any), "time")
				}
				return obj
			}
			name := "x"
			if c.name == "CustomResourceDefinition" {
				name = "x.example.com"
			}
			inJSON := post(name, "application/json", func(w io.Writer) error { return json.NewEncoder(w).Encode(c.object) })
			inProtobuf := post(name, "application/vnd.kubernetes.protobuf", func(w io.Writer) error { return serializer.Encode(c.object, w) })
			delete(inJSON, "status") // whose conditions have times
			delete(inProtobuf, "status")
			require.Equal(t, inJSON, inProtobuf)
		})
	}
}
