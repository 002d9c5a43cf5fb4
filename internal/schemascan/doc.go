// Package schemascan reads an openAPIV3Schema of JSON text straight into the fields of its struct. It does for what is
// plain what package schema does for everything, without a generic value in between, and declines the rest.
package schemascan
