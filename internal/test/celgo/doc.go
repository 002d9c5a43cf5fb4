// Package celgo converts syntax trees and types to those of cel-go, so that tests can compare them.
package celgo
