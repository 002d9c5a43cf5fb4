// Package rewrite changes schemas without modifying them: the result is a copy where something changes, and shares the rest.
package rewrite
