// Package schemascan decodes an openAPIV3Schema from JSON text directly into its struct. It handles plain text like
// package schema, without a generic value in between, and declines the rest.
package schemascan
