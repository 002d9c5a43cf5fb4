// Package listing prints objects as YAML with marks at some lines.
package listing
