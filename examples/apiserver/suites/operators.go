package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// An addition is what a project's makefile makes before the tests, because they install the definitions in it: a
// directory of another module, a file, or what kustomize builds of a directory of the project.
type addition struct {
	module string // without a version, it is the one that the project requires
	from   string // a directory of the module
	text   []byte // instead of a module
	build  string // instead of a module: the directory for kustomize
	to     string // in the project
}

// knownOperators lists the specs that fail.
//
//go:embed known-operators.txt
var knownOperators string

// podGroups is a definition that has no module.
//
//go:embed testdata/podgroups.yaml
var podGroups []byte

// These are the packages whose tests start envtest. Those of Grafana's controllers also start Grafana in a container,
// and are left out.
var (
	jobset = operator("sigs.k8s.io/jobset@v0.12.0", []string{"test/integration/controller", "test/integration/webhook"})

	lws = operator("sigs.k8s.io/lws@v0.10.0", []string{"test/integration/controllers", "test/integration/webhooks"})

	rabbitmq = operator("github.com/rabbitmq/cluster-operator/v2@v2.22.3",
		[]string{"api/v1beta1", "internal/controller", "internal/webhook/v1beta1"})

	grafana = operator("github.com/grafana/grafana-operator/v5@v5.24.0",
		[]string{"api/v1beta1", "controllers/reconcilers/grafana", "pkg/autodetect"})

	kro = operator("github.com/kubernetes-sigs/kro@v0.9.4", []string{"test/integration/suites/core"})

	keda = operator("github.com/kedacore/keda/v2@v2.21.0", []string{"apis/keda/v1alpha1", "apis/eventing/v1alpha1"})

	karpenter = operator("sigs.k8s.io/karpenter@v1.8.0",
		[]string{
			"pkg/apis/v1", "pkg/controllers/disruption", "pkg/controllers/node/termination", "pkg/controllers/node/termination/terminator",
			"pkg/controllers/nodeclaim/lifecycle", "pkg/controllers/provisioning", "pkg/controllers/state",
		})

	kueue = operator("sigs.k8s.io/kueue@v0.17.0",
		[]string{
			"test/integration/singlecluster/controller/core", "test/integration/singlecluster/controller/jobs/pod",
			"test/integration/singlecluster/webhook/core",
		},
		addition{build: "config/components/crd", to: "config/components/crd/_output/crds-with-webhooks.yaml"})

	kuberay = operator("github.com/ray-project/kuberay/ray-operator@v1.5.0", []string{"controllers/ray"})

	clusterAPI = functional(operator("sigs.k8s.io/cluster-api@"+clusterAPIVersion,
		[]string{
			"controllers/crdmigrator", "core/reconcilers/clusterclass", "core/reconcilers/clusterresourceset",
			"core/reconcilers/extensionconfig", "core/reconcilers/machineset",
			"core/reconcilers/topology/cluster/structuredmerge", "core/webhooks/admission/test",
			"internal/util/ssa/test", "util/patch/test",
		},
		// A replacement in its go.mod file refers to this directory.
		addition{module: "sigs.k8s.io/cluster-api/api@" + clusterAPIVersion, from: ".", to: "api"}))

	trainer = operator("github.com/kubeflow/trainer/v2@v2.3.0",
		[]string{"test/integration/controller", "test/integration/webhooks"},
		addition{module: "sigs.k8s.io/jobset", from: "config/components/crd/bases", to: externalCRDs + "jobset-operator"},
		addition{module: "sigs.k8s.io/scheduler-plugins", from: "manifests/coscheduling", to: externalCRDs + "scheduler-plugins"},
		addition{text: podGroups, to: externalCRDs + "volcano/scheduling.volcano.sh_podgroups.yaml"})
)

const clusterAPIVersion = "v1.14.2"

const externalCRDs = "manifests/external-crds/"

// operator returns the suite of a project whose tests start envtest. The tests do not change.
func operator(module string, packages []string, additions ...addition) *suite {
	return &suite{
		module: module, packages: packages, known: knownOperators, ginkgo: true,
		prepare: func(ctx context.Context, source, bin string) (env []string, stop func(), err error) {
			for _, a := range additions {
				if err := a.add(ctx, source); err != nil {
					return nil, nil, err
				}
			}
			return assets(ctx, bin)
		},
	}
}

// functional returns s for a project whose cases are functions.
func functional(s *suite) *suite {
	s.ginkgo = false
	return s
}

// add copies the directory or the file into a project.
func (a addition) add(ctx context.Context, project string) error {
	to := filepath.Join(project, filepath.FromSlash(a.to))
	if a.module == "" {
		text := a.text
		if a.build != "" {
			cmd := exec.CommandContext(ctx, "kubectl", "kustomize", filepath.Join(project, filepath.FromSlash(a.build)))
			cmd.Stderr = os.Stderr
			var err error
			if text, err = cmd.Output(); err != nil {
				return fmt.Errorf("kubectl kustomize %s: %w", a.build, err)
			}
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	}
	dir, err := download(ctx, project, a.module)
	if err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(filepath.Join(dir, filepath.FromSlash(a.from))))
}
