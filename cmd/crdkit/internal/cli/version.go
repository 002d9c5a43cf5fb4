package cli

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/crdkit/crdkit/kubeversion"
)

var versionCommand = command{
	name:  "version",
	short: "the version of crdkit, and of Kubernetes that it follows",
	setup: func(e *env, _ *flag.FlagSet) func([]string) error {
		return func(args []string) error {
			if len(args) > 0 {
				return usageError("version takes no arguments")
			}
			e.stdout.Printf("%s\n", versionLine())
			return nil
		}
	},
}

func versionLine() string {
	followed := kubeversion.Versions()
	return fmt.Sprintf("crdkit %s, Kubernetes %s, %s %s/%s", moduleVersion(), followed[len(followed)-1], runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// moduleVersion returns the version that the command was built from, without the v.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.0.0-devel"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}
