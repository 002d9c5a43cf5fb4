// Package scenario plays sequences of HTTP requests to an API server, and compares the answers of two servers, or of one
// with recorded answers.
//
// A [Scenario] creates a definition of the group g.io, with the plural ks and the kind K, and writes and reads objects of
// it. [Player.Play] sends its requests and returns what can be compared of the answers; [Compare] compares them by
// aspect: the status code, the object, the errors' types, fields and texts, and the warnings.
//
// # What is left out
//
// Left out of answers are a server's uid, creationTimestamp, resourceVersion and times of managedFields, the status and
// the managedFields of definitions, and cells with an age. Errors and warnings are compared in any order, because a
// server's is random; so is the number that it adds to the name of self's type. Two kinds of answers are not compared as
// a whole, because of differences in docs/internals/parity.md: of a definition that cannot be decoded (400) only the
// code and the warnings, and nothing of an object with a list named items (500 from a server). Warnings of 4,096
// characters and more are not compared: which ones a server leaves out is random.
//
// # Webhooks
//
// [Hooks] returns a scenario for each way in which a conversion webhook can misbehave, and [NewHook] starts such webhooks.
// In these answers uids, times and the order of managedFields are not compared, nor whether a server has filled its cache.
//
// testdata has recorded answers of a Kubernetes 1.37 API server. The module in conformance/ records them, and compares
// any number of other scenarios with a running server.
package scenario
