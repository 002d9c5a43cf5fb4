package objectmeta

import (
	"errors"
	"strings"
)

// GroupVersion splits an apiVersion at its slash. Without a slash it is a version of the core group, whose name is empty. Both parts may be
// empty.
//
// Clause: DEC-013.
func GroupVersion(apiVersion string) (group, version string, err error) {
	group, version, slash := strings.Cut(apiVersion, "/")
	if !slash {
		return "", apiVersion, nil
	}
	if strings.Contains(version, "/") {
		return "", "", errors.New("unexpected GroupVersion string: " + apiVersion)
	}
	return group, version, nil
}

// APIVersion returns the apiVersion of a version of a group. The core group has no name, and its apiVersions have no slash.
func APIVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}
