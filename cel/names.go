package cel

import "github.com/crdkit/crdkit/cel/internal/declare"

// Unescape returns the name of the property that an expression reads by a name in its escaped form, or false if there can be none: "a-b" for
// a__dash__b, and "namespace" for __namespace__.
func Unescape(name string) (property string, ok bool) { return declare.Unescape(name) }
