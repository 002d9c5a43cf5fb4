// Package catalog reads the definitions and JSON Schemas of catalogs: directories with a file for each kind, as kubeconform
// uses them.
package catalog
