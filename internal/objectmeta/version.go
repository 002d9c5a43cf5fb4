package objectmeta

import (
	"errors"
	"strings"
)

// GroupVersion parts an apiVersion at its slash. Without one it is a version of the core group, whose name is empty. Both parts may be
// empty; empty texts and a slash alone have no version.
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
