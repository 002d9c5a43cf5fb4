// Package schemacopy changes schemas without modifying them: changed parts are copied, and equal parts are shared.
package schemacopy
