package cli

import (
	"flag"

	"github.com/crdkit/crdkit/internal/since"
)

// kubernetesFlag defines the flag with the version of the server.
func kubernetesFlag(flags *flag.FlagSet, to *string) {
	flags.StringVar(to, "kubernetes", "", "answer as a server of the minor `VERSION`: "+servedVersions()+" (default "+since.Newest.String()+")")
}

// servedVersions returns the versions that a server may have, for the text of a flag.
func servedVersions() string { return since.OldestServed.String() + " to " + since.Last.String() }

// checkKubernetes returns an error if the value of a flag is not the version of a server.
func checkKubernetes(flag, version string) error {
	if _, err := since.ParseServed(version); err != nil {
		return usageError("-" + flag + ": " + err.Error())
	}
	return nil
}
