// Package types has the type of a uid. Errors of decoding show its name and that of the package.
package types

// A UID is the uid of an object.
type UID string
