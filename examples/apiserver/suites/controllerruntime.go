package main

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed known-controller-runtime.txt
var knownControllerRuntime string

// controllerRuntime has the packages that start envtest, except those that test envtest's binaries.
var controllerRuntime = &suite{
	module: "sigs.k8s.io/controller-runtime@v0.25.2",
	packages: []string{
		"pkg/client", "pkg/cache", "pkg/builder", "pkg/controller", "pkg/manager", "pkg/envtest", "pkg/client/apiutil", "pkg/cluster",
		"pkg/controller/controllerutil", "pkg/handler", "pkg/internal/controller", "pkg/internal/recorder", "pkg/metrics/filters", "pkg/source",
		"pkg/webhook",
	},
	known:  knownControllerRuntime,
	ginkgo: true,
	prepare: func(ctx context.Context, _, bin string) (env []string, stop func(), err error) {
		return assets(ctx, bin)
	},
}

// assets builds the programs that replace those of envtest, and returns the environment in which tests start them.
func assets(ctx context.Context, bin string) (env []string, stop func(), err error) {
	dir, err := root(ctx)
	if err != nil {
		return nil, nil, err
	}
	server := filepath.Join(bin, "kube-apiserver")
	if err := build(ctx, dir, "./envtest", server); err != nil {
		return nil, nil, err
	}
	if err := os.Symlink(server, filepath.Join(bin, "etcd")); err != nil {
		return nil, nil, err
	}
	if kubectl, err := exec.LookPath("kubectl"); err == nil { // few tests need it
		if err := os.Symlink(kubectl, filepath.Join(bin, "kubectl")); err != nil {
			return nil, nil, err
		}
	}
	return []string{"KUBEBUILDER_ASSETS=" + bin}, func() {}, nil
}
