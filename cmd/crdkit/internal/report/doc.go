// Package report has the findings of the command, and prints them: as text, JSON, SARIF 2.1.0, GitHub annotations and
// JUnit.
//
// A finding has the server's text and, separately, hints. Both come from untrusted files: package output escapes them.
package report
