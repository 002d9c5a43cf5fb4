// Package fill drops the nulls and fills in the defaults of an object, as a server does on a request and when it reads
// an object from storage. Package defaulting is its public form.
package fill
