package catalog

import (
	"regexp"
	"strings"
)

// imageForm is the form of a reference to an image, with its registry. The first group is the tag, the second the
// digest.
var imageForm = regexp.MustCompile(`^(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]|\[[a-fA-F0-9:]+\]|\.)+(?::[0-9]+)?` +
	`(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)+(?::([\w][\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`)

// identifier is a text that looks like an image's identifier, which is no name.
var identifier = regexp.MustCompile(`^[a-f0-9]{64}$`)

// maxImageName is the longest name of an image, with its registry and without tag and digest.
const maxImageName = 255

// isLatest reports whether an image has the tag latest, or neither a tag nor a digest. An invalid reference has no tag.
func isLatest(image string) bool {
	if len(image) > 4*maxImageName || identifier.MatchString(image) {
		return false
	}
	host, rest, has := strings.Cut(image, "/")
	switch {
	case !has, !strings.ContainsAny(host, ".:") && host != "localhost" && strings.ToLower(host) == host:
		host, rest = "docker.io", image
	}
	if host == "docker.io" && !strings.Contains(rest, "/") {
		rest = "library/" + rest
	}
	found := imageForm.FindStringSubmatch(host + "/" + rest)
	if found == nil {
		return false
	}
	name := len(host) + 1 + len(rest)
	for _, part := range found[1:] {
		if part != "" {
			name -= len(part) + 1
		}
	}
	return name <= maxImageName && (found[1] == "latest" || found[1] == "" && found[2] == "")
}
