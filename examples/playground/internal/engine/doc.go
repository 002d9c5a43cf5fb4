// Package engine answers the questions of the playground's page: the response of a server to a definition and an
// object, and the views of a definition. Answers are JSON. Its only state is the last validated definition. It does not
// need a browser.
//
// Texts are untrusted. Texts of more than 3 MiB, the limit of a server's request, are refused. Answers have their own
// limits (the max constants), and the work for a definition is limited as in the packages of the library. An Engine is
// not safe for concurrent use.
package engine
