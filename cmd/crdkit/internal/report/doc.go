// Package report has the findings of the command, and prints them: as text, JSON, SARIF 2.1.0, GitHub annotations and
// JUnit.
//
// A finding has the server's text and, separately, hints. Texts come from untrusted files, so control characters are
// escaped.
package report
