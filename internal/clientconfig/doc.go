// Package clientconfig checks how a definition or a webhook configuration says where a webhook is: at a URL or behind a
// Service. The errors are those of a Kubernetes server.
package clientconfig
