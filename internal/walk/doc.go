// Package walk keeps the path of a walk through an object on the Go stack until an error needs its text.
//
// A [Frame] renders the three forms in which a server prints a path: in the messages of schema checks ([Frame.Name]),
// as an unknown field ([Frame.Dotted]), and as the field of all other errors ([Frame.Path]). It also renders the path of
// the schema that describes the value ([Frame.Schema]).
package walk
