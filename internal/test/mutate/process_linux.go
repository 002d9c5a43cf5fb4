package main

import (
	"os/exec"
	"syscall"
)

// confine puts cmd and its children into a process group, so that all of them end when the context does.
func confine(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// limitMemory limits the memory of this process and of each process that it starts: a mutated loop may never stop
// allocating.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
