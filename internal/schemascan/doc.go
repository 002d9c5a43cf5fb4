// Package schemascan decodes an openAPIV3Schema from JSON directly into its struct, without generic values in between.
// The result is that of package schema. Like package jsonscan, it declines unusual texts, and the caller then uses
// package schema.
package schemascan
