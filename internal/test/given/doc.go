// Package given makes the inputs of tests in many packages: objects, schemas and definitions from YAML or JSON, and
// files. Only tests import it.
//
// Each function that decodes fails the test if it cannot.
package given
