// Quickstart creates custom objects as a Kubernetes API server would, without one: it prints what the server would store,
// and the warnings and errors that kubectl would show.
//
// Without arguments it does so with the files beside it. What a program of its own needs of all this is in compile and create.
package main
