// Package listing prints objects as YAML, whole or for people to look at: with marks at some lines.
package listing
