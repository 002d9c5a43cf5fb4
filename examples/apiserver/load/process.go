package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// build builds the server.
func build(ctx context.Context, binary string) error {
	c := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/crdkit/crdkit/examples/apiserver")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	return c.Run()
}

// A process is the server.
type process struct {
	binary, files string // files is the prefix of the names of its files
	etcd, prefix  string // prefix is that of its keys
	memory        bool   // objects are in memory
	command       *exec.Cmd
	access        *client
}

// start starts it, and returns when it serves.
func (p *process) start(ctx context.Context) error {
	kubeconfig := p.files + ".kubeconfig"
	args := []string{"-data", p.files + ".db", "-kubeconfig", kubeconfig}
	switch {
	case p.etcd != "":
		args = append(args, "-etcd", p.etcd, "-etcd-prefix", p.prefix)
	case p.memory:
		args = append(args, "-memory")
	}
	p.command = exec.Command(p.binary, args...)
	p.command.Stderr = os.Stderr
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.command.Start(); err != nil {
		return err
	}
	ready := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "Serving") {
				ready <- true
			}
		}
		ready <- false
	}()
	select {
	case ok := <-ready:
		if !ok {
			return errors.New("the server has not started")
		}
	case <-time.After(30 * time.Second):
		return errors.New("the server takes too long to start")
	case <-ctx.Done():
		return ctx.Err()
	}
	p.access, err = connect(kubeconfig)
	return err
}

// kill ends the process at once, if it is running.
func (p *process) kill() {
	if p.command == nil {
		return
	}
	p.command.Process.Kill()
	p.command.Wait()
	p.command = nil
}

func (p *process) client() *client { return p.access }

// anonymous returns the memory of the process, in MiB, without pages of mapped files, which the system can reclaim.
func (p *process) anonymous() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0 // no such file system
	}
	for line := range strings.Lines(string(status)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "RssAnon: %d kB", &kib); n == 1 {
			return kib >> 10
		}
	}
	return 0
}

// connect returns a client from a kubeconfig of the server.
func connect(kubeconfig string) (*client, error) {
	text, err := os.ReadFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	var c struct {
		Clusters []struct {
			Cluster struct {
				Server string `json:"server"`
				CA     string `json:"certificate-authority-data"`
			} `json:"cluster"`
		} `json:"clusters"`
		Users []struct {
			User struct {
				Token string `json:"token"`
			} `json:"user"`
		} `json:"users"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	ca, err := base64.StdEncoding.DecodeString(c.Clusters[0].Cluster.CA)
	if err != nil {
		return nil, err
	}
	return newClient(c.Clusters[0].Cluster.Server, c.Users[0].User.Token, ca), nil
}
