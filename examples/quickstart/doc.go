// Quickstart creates custom objects as a Kubernetes API server would, without one: it prints what the server would store,
// and the warnings and errors that kubectl would show. Asked about definitions alone, it says whether the server would take them,
// and what their rules may cost.
//
// Without arguments it creates the objects beside it. What a program of its own needs of all this is in compile and create, and for
// definitions in newReview and estimate.
package main
