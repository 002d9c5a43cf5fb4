// Package native describes how requests for a kind that is built into a server differ from those for custom resources.
package native
