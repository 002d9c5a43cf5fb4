// Package finding collects what there is to say about a definition or an object, for people: what a server says, at its
// place in the document, and hints, which a server does not give.
package finding
