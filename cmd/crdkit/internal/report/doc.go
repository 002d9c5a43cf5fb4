// Package report has the findings of the command, and prints them: as text, JSON, SARIF 2.1.0, GitHub annotations and
// JUnit.
//
// A finding has the server's text, and hints beside it. Texts come from files that anyone may have written, so control
// characters are printed as escapes.
package report
