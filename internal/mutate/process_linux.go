package main

import (
	"os/exec"
	"syscall"
)

// confine puts cmd and what it starts into a process group, so that all of it ends when the context does.
func confine(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// limitMemory limits the memory of this process and of each that it starts: a mutated loop may never stop to allocate.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
