// Package origin records in an error which part of a definition it comes from. Package field reads it for
// field.Error.Cause, the packages that create errors set it.
//
// It costs nothing before there is an error. Paths of schemas share what is above the branch of a combinator, so that
// errors deep inside branches take no more memory than the paths of their values.
package origin
