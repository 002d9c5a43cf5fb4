package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/network/defaultingressclass"
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault"

	"github.com/crdkit/crdkit/server"
	"github.com/crdkit/crdkit/server/storage"
)

// classes are the objects that the plugins look for, by type.
var classes = map[string][]string{
	"scheduling.v1.PriorityClass": {
		`{"metadata":{"name":"high"},"value":1000,"preemptionPolicy":"PreemptLowerPriority"}`,
		`{"metadata":{"name":"usual"},"value":7,"globalDefault":true,"preemptionPolicy":"Never"}`,
	},
	"node.v1.RuntimeClass": {
		`{"metadata":{"name":"plain"},"handler":"h"}`,
		`{"metadata":{"name":"costs"},"handler":"h","overhead":{"podFixed":{"cpu":"100m","memory":"1Gi"}}}`,
		`{"metadata":{"name":"free"},"handler":"h","overhead":{}}`,
		`{"metadata":{"name":"fast"},"handler":"h","scheduling":{"nodeSelector":{"disk":"fast"},"tolerations":[
			{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":9},{"key":"b","operator":"Equal","value":"1"},{"operator":"Exists","effect":"NoSchedule"}]}}`,
		`{"metadata":{"name":"all"},"handler":"h","scheduling":{"tolerations":[{"operator":"Exists"}]}}`,
	},
	"storage.v1.StorageClass": {
		`{"metadata":{"name":"b","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"p"}`,
		`{"metadata":{"name":"a","annotations":{"storageclass.beta.kubernetes.io/is-default-class":"true"}},"provisioner":"p"}`,
	},
	"networking.v1.IngressClass": {
		`{"metadata":{"name":"a","annotations":{"ingressclass.kubernetes.io/is-default-class":"false"}},"spec":{"controller":"a.io/c"}}`,
		`{"metadata":{"name":"b","annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},"spec":{"controller":"a.io/c"}}`,
	},
}

// pluggable has random objects that plugins change, by type.
var pluggable = map[string]func(r *rand.Rand) string{
	"core.v1.Pod": func(r *rand.Rand) string {
		return `{"spec":{"containers":[{"name":"a","image":"a"}]` +
			member(r, "priorityClassName", `"high"`, `"usual"`, `"lost"`, `""`) + member(r, "priority", "7", "1000") + member(r, "preemptionPolicy", `"Never"`) +
			member(r, "runtimeClassName", `"plain"`, `"costs"`, `"free"`, `"fast"`, `"all"`, `"lost"`) +
			member(r, "overhead", `{"cpu":"0.1","memory":"1Gi"}`, `{"cpu":"1"}`) + member(r, "nodeSelector", `{"disk":"fast"}`, `{"disk":"slow"}`, `{"zone":"a"}`) +
			member(r, "tolerations", tolerations(r), tolerations(r)) + `}}`
	},
	"core.v1.Node": func(r *rand.Rand) string {
		return `{"spec":{"unschedulable":false` + member(r, "taints", `[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]`,
			`[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"},{"key":"a","value":"b","effect":"NoSchedule"}]`,
			`[{"key":"node.kubernetes.io/not-ready","value":"x","effect":"NoSchedule"}]`) + `}}`
	},
	"core.v1.PersistentVolumeClaim": func(r *rand.Rand) string {
		return `{"metadata":{"generation":0` + member(r, "annotations", `{"volume.beta.kubernetes.io/storage-class":"x"}`, `{"volume.beta.kubernetes.io/storage-class":""}`) + `},
			"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}` + member(r, "storageClassName", `""`, `"c"`) + `}}`
	},
	"networking.v1.Ingress": func(r *rand.Rand) string {
		annotations, class := []string{`{"kubernetes.io/ingress.class":"x"}`, `{"kubernetes.io/ingress.class":""}`}, member(r, "ingressClassName", `"x"`)
		if class != "" {
			annotations = annotations[:1] // they must be equal
		}
		return `{"metadata":{"generation":0` + member(r, "annotations", annotations...) + `},
			"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}` + class + `}}`
	},
}

// A scope is a strategy that only says where objects are.
type scope struct {
	strategy
	namespaced bool
}

func (s scope) NamespaceScoped() bool { return s.namespaced }

// member returns a member of an object with one of the values, or none.
func member(r *rand.Rand, name string, values ...string) string {
	if r.IntN(2) == 0 {
		return ""
	}
	return fmt.Sprintf(",%q:%s", name, values[r.IntN(len(values))])
}

func tolerations(r *rand.Rand) string {
	out := "["
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			out += ","
		}
		effect := []string{"", "NoExecute", "NoSchedule"}[r.IntN(3)]
		key := []string{"a", "b", "node.kubernetes.io/not-ready"}[r.IntN(3)]
		operator := []string{`"Exists"`, `"Equal","value":"1"`, `"Equal","value":"2"`}[r.IntN(3)]
		out += fmt.Sprintf(`{"key":%q,"operator":%s,"effect":%q`, key, operator, effect)
		if effect == "NoExecute" {
			out += member(r, "tolerationSeconds", "5", "300")
		}
		out += "}"
	}
	return out + "]"
}

// Package server changes and refuses new objects as the admission plugins of Kubernetes do.
func TestPlugins(t *testing.T) {
	now := time.Now()
	s, err := server.New(t.Context(), server.Options{Store: storage.NewMemory(storage.MemoryOptions{}), Now: func() time.Time { return now }})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	kinds, err := readKinds()
	require.NoError(t, err)
	var stored []runtime.Object
	for _, k := range kinds {
		for _, text := range classes[k.Type] {
			obj, err := k.newObject()
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal([]byte(text), obj))
			stored = append(stored, obj)
			ask := asker{handler: s, kind: k, strategy: scope{}}
			var sent map[string]any
			require.NoError(t, json.Unmarshal([]byte(text), &sent))
			refused, _, decoded := ask.do(t, "POST", sent)
			require.True(t, decoded)
			require.Empty(t, refused)
		}
	}
	chain := newChain(t, stored)
	for _, k := range kinds {
		made := pluggable[k.Type]
		if made == nil {
			continue
		}
		t.Run(k.Type, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed, 0))
			ask := asker{handler: s, kind: k, query: "?dryRun=All", strategy: scope{namespaced: k.Kind != "Node"}}
			refused, changed := 0, 0
			for range *objects {
				text := made(r)
				obj, err := k.newObject()
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal([]byte(text), obj))
				scheme.Default(obj)
				want, theirs := chain.admit(t, k, ask.plural(), obj)
				var sent map[string]any
				require.NoError(t, json.Unmarshal([]byte(text), &sent))
				meta, _ := sent["metadata"].(map[string]any)
				if meta == nil {
					meta = map[string]any{}
				}
				meta["name"], sent["metadata"] = "a", meta
				ours, got, decoded := ask.do(t, "POST", sent)
				require.True(t, decoded)
				require.Equal(t, theirs, ours, text)
				if len(theirs) > 0 {
					refused++
					continue
				}
				spec := got["spec"].(map[string]any)
				for _, name := range []string{"priority", "priorityClassName", "preemptionPolicy", "overhead", "nodeSelector", "tolerations", "taints", "storageClassName", "ingressClassName"} {
					require.Equal(t, want[name], spec[name], "%s of %s", name, text)
					before, _ := sent["spec"].(map[string]any)
					if want[name] != nil && before[name] == nil {
						changed++
					}
				}
			}
			require.Positive(t, changed)
			if k.Kind == "Pod" {
				require.Greater(t, refused, *objects/10)
				require.Less(t, refused, *objects*9/10)
			}
		})
	}
}

// A chain has the plugins of Kubernetes, in their order.
type chain []admission.Interface

func newChain(t *testing.T, stored []runtime.Object) (out chain) {
	all := admission.NewPlugins()
	for _, register := range []func(*admission.Plugins){
		nodetaint.Register, priority.Register, defaulttolerationseconds.Register, setdefault.Register, runtimeclass.Register, defaultingressclass.Register,
	} {
		register(all)
	}
	client := fake.NewClientset(stored...)
	factory := informers.NewSharedInformerFactory(client, 0)
	with := initializer.New(client, nil, factory, nil, nil, nil, t.Context().Done(), nil)
	for _, name := range []string{
		nodetaint.PluginName, priority.PluginName, defaulttolerationseconds.PluginName, setdefault.PluginName, runtimeclass.PluginName, defaultingressclass.PluginName,
	} {
		plugin, err := all.InitPlugin(name, nil, with)
		require.NoError(t, err)
		out = append(out, plugin)
	}
	factory.Start(t.Context().Done())
	for _, synced := range factory.WaitForCacheSync(t.Context().Done()) {
		require.True(t, synced)
	}
	return out
}

// admit returns the spec of a new object after the plugins, or the refusal.
func (c chain) admit(t *testing.T, k kind, plural string, obj runtime.Object) (spec map[string]any, refused []string) {
	internal, err := scheme.ConvertToVersion(obj, schema.GroupVersion{Group: k.Group, Version: runtime.APIVersionInternal})
	require.NoError(t, err)
	version := schema.GroupVersion{Group: k.Group, Version: k.Version}
	a := admission.NewAttributesRecord(internal, nil, version.WithKind(k.Kind), "default", "a", version.WithResource(plural), "", admission.Create, nil, false, nil)
	for _, plugin := range c {
		if p, ok := plugin.(admission.MutationInterface); ok && plugin.Handles(admission.Create) {
			if err := p.Admit(t.Context(), a, nil); err != nil {
				return nil, causes(t, err)
			}
		}
	}
	for _, plugin := range c {
		if p, ok := plugin.(admission.ValidationInterface); ok && plugin.Handles(admission.Create) {
			if err := p.Validate(t.Context(), a, nil); err != nil {
				return nil, causes(t, err)
			}
		}
	}
	back, err := scheme.ConvertToVersion(internal, version)
	require.NoError(t, err)
	m, err := objectOf(back)
	require.NoError(t, err)
	return m["spec"].(map[string]any), nil
}
