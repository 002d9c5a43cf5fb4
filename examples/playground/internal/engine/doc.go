// Package engine answers the questions of the playground's page: what a server would say of a definition and of an object, and the views of
// a definition. Answers are JSON. It has no state but the definition that was validated last, and needs no browser.
//
// Texts are untrusted. Those beyond the 3 MiB of a server's request are refused, answers have limits of their own (max constants), and what
// a definition may cost is bounded as in the packages of the library. An Engine is for one goroutine.
package engine
