package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/crdkit/crdkit/internal/query"
)

// This file has the cells of Pods.

// A podState sums up the containers of a Pod.
type podState struct {
	ready, total int
	status       string
	restarts     restarts
}

type restarts struct {
	count int64
	last  time.Time
}

func (r *restarts) add(status document) {
	r.count += number(status, "restartCount")
	if at, ok := timeAt(status, "lastState", "terminated", "finishedAt"); ok && at.After(r.last) {
		r.last = at
	}
}

// podStateOf returns the state of a Pod. Its status is the phase, or the reason why a container does not run. Init
// containers count until all have ended or, if they run on beside the others, started.
func podStateOf(obj document) (p podState) {
	spec, status := child(obj, "spec"), child(obj, "status")
	p.status = text(status, "reason", text(status, "phase", ""))
	for _, c := range children(status, "conditions") {
		if c["type"] == "PodScheduled" && c["reason"] == "SchedulingGated" {
			p.status = "SchedulingGated"
		}
	}
	p.total = len(children(spec, "containers"))
	if p.initialized(obj) || condition(obj, "Initialized")["status"] == "True" {
		p.run(status)
	}
	if child(obj, "metadata")["deletionTimestamp"] != nil {
		if phase := status["phase"]; status["reason"] == "NodeLost" {
			p.status = "Unknown"
		} else if phase != "Failed" && phase != "Succeeded" {
			p.status = "Terminating"
		}
	}
	return p
}

// initialized adds the init containers, and reports whether the others may run. If so, only the restarts of those that
// run on count.
func (p *podState) initialized(obj document) bool {
	containers := children(child(obj, "spec"), "initContainers")
	runsOn := map[string]bool{}
	for _, c := range containers {
		always := c["restartPolicy"] == "Always"
		if runsOn[text(c, "name", "")] = always; always {
			p.total++
		}
	}
	var all restarts
	for i, s := range children(child(obj, "status"), "initContainerStatuses") {
		all.add(s)
		beside := runsOn[text(s, "name", "")]
		if beside {
			p.restarts.add(s)
		}
		terminated, waiting := child(child(s, "state"), "terminated"), text(child(child(s, "state"), "waiting"), "reason", "")
		switch {
		case terminated != nil && number(terminated, "exitCode") == 0:
			continue
		case beside && s["started"] == true:
			if s["ready"] == true {
				p.ready++
			}
			continue
		case terminated != nil:
			p.status = "Init:" + endOf(terminated)
		case waiting != "" && waiting != "PodInitializing":
			p.status = "Init:" + waiting
		default:
			p.status = fmt.Sprintf("Init:%d/%d", i, len(containers))
		}
		if condition(obj, "Initialized")["status"] != "True" {
			p.restarts = all
		}
		return false
	}
	return true
}

// run adds the containers.
func (p *podState) run(status document) {
	running, failure := false, ""
	for _, s := range slices.Backward(children(status, "containerStatuses")) {
		p.restarts.add(s)
		state := child(s, "state")
		waiting, terminated := text(child(state, "waiting"), "reason", ""), child(state, "terminated")
		switch {
		case waiting != "":
			p.status = waiting
		case terminated != nil:
			if p.status = endOf(terminated); number(terminated, "exitCode") != 0 {
				failure = p.status
			}
		case s["ready"] == true && state["running"] != nil:
			running = true
			p.ready++
		}
	}
	if p.status != "Completed" {
		return
	}
	ready := slices.ContainsFunc(children(status, "conditions"), func(c document) bool { return c["type"] == "Ready" && c["status"] == "True" })
	switch {
	case running && ready:
		p.status = "Running"
	case failure != "":
		p.status = failure
	case running:
		p.status = "NotReady"
	}
}

// endOf says how a container has ended.
func endOf(terminated document) string {
	switch reason, signal := text(terminated, "reason", ""), number(terminated, "signal"); {
	case reason != "":
		return reason
	case signal != 0:
		return fmt.Sprintf("Signal:%d", signal)
	}
	return fmt.Sprintf("ExitCode:%d", number(terminated, "exitCode"))
}

func podReady(obj document, _ time.Time) any {
	p := podStateOf(obj)
	return fmt.Sprintf("%d/%d", p.ready, p.total)
}

func podStatus(obj document, _ time.Time) any { return podStateOf(obj).status }

func podRestarts(obj document, now time.Time) any {
	r := podStateOf(obj).restarts
	if r.count > 0 && !r.last.IsZero() {
		return fmt.Sprintf("%d (%s ago)", r.count, query.Age(now.Sub(r.last)))
	}
	return strconv.FormatInt(r.count, 10)
}

func podIP(obj document, _ time.Time) any {
	if ips := children(child(obj, "status"), "podIPs"); len(ips) > 0 {
		return text(ips[0], "ip", "<none>")
	}
	return "<none>"
}

func readinessGates(obj document, _ time.Time) any {
	gates := children(child(obj, "spec"), "readinessGates")
	if len(gates) == 0 {
		return "<none>"
	}
	first := map[string]any{} // the status of conditions
	for _, c := range children(child(obj, "status"), "conditions") {
		inherit(first, text(c, "type", ""), c["status"])
	}
	met := 0
	for _, g := range gates {
		if first[text(g, "conditionType", "")] == "True" {
			met++
		}
	}
	return fmt.Sprintf("%d/%d", met, len(gates))
}
