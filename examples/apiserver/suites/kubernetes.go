package main

import (
	"bufio"
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed known-kubernetes.txt
var knownKubernetes string

// fixtures is a replacement for a file of the tests. It starts their servers.
//
//go:embed testdata/fixtures/server.go
var fixtures []byte

var kubernetes = &suite{
	module:   "k8s.io/apiextensions-apiserver@v0.37.2",
	packages: []string{"test/integration", "test/integration/conversion"},
	known:    knownKubernetes,
	prepare: func(ctx context.Context, source, bin string) (env []string, stop func(), err error) {
		if err := os.WriteFile(filepath.Join(source, "test", "integration", "fixtures", "server.go"), fixtures, 0o600); err != nil {
			return nil, nil, err
		}
		dir, err := root(ctx)
		if err != nil {
			return nil, nil, err
		}
		server, etcd := filepath.Join(bin, "apiserver"), filepath.Join(bin, "etcd")
		if err := build(ctx, dir, ".", server); err != nil {
			return nil, nil, err
		}
		if err := build(ctx, filepath.Join(dir, "etcdtest"), "./etcd", etcd); err != nil {
			return nil, nil, err
		}
		endpoint, stop, err := startEtcd(etcd, filepath.Join(bin, "data"))
		if err != nil {
			return nil, nil, err
		}
		return []string{"CRDKIT_APISERVER=" + server, "KUBE_INTEGRATION_ETCD_URL=http://" + endpoint}, stop, nil
	},
}

// startEtcd starts the etcd of ../etcdtest, which ends when its standard input is closed.
func startEtcd(binary, data string) (endpoint string, stop func(), err error) {
	c := exec.Command(binary, data)
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		stdin.Close()
		hangs := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
		defer hangs.Stop()
		c.Wait()
	}
	if endpoint, err = bufio.NewReader(stdout).ReadString('\n'); err != nil {
		stop()
		return "", nil, err
	}
	return strings.TrimSpace(endpoint), stop, nil
}
