// Package manifests has files for CI that validate manifests. Its test runs the commands of these files.
package manifests
