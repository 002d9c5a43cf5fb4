// Package given has what the tests of many packages are given: objects, schemas and definitions in YAML or JSON, and
// files. Only tests import it.
//
// Each function that decodes fails the test if it cannot.
package given
