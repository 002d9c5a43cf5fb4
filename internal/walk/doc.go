// Package walk has the path of a walk through an object, kept on the Go stack until an error needs its text.
//
// One [Frame] serves the three forms in which a server prints a place: in the messages of schema checks ([Frame.Name]), as an unknown
// field ([Frame.Dotted]), and as the field of all other errors ([Frame.Path]).
package walk
