// Package pattern matches strings with regular expressions in the syntax of package regexp: those of a schema, which match anywhere in a
// string unless they are anchored, and those of rules, which also find what matches.
//
//	p, err := pattern.Compile("^[a-z]+$")
//	p.MatchString("abc") // true
//
// The answers are those of package regexp. This package has an engine of its own, since package regexp takes memory by the square of the
// number of groups, has no bound on the size of a program, cannot be stopped, and finds all matches in quadratic time. Here nobody asks
// what a group matches, so there are none.
//
// # The engine
//
// A pattern is parsed into a tree, by a reader of its own if it is made of simple things, otherwise by package regexp/syntax. The
// instructions of a nondeterministic automaton are made of the tree when a string first needs them. A deterministic automaton, whose states
// are also made when they are needed, answers for strings of ASCII. It takes 2 or 3 nanoseconds a byte. Where it has no answer (at a
// byte above 0x7f that is reached before the result is clear, or when its states have taken too much memory), the nondeterministic
// automaton is simulated, which takes 20 to 50 nanoseconds a byte for most patterns.
//
// # Cost
//
// [Compile] only checks the syntax, which takes less than a microsecond for most patterns; a pattern that is never used is its text and
// two pointers. The first string, if it is short, is matched without anything that stays: many a pattern meets no other. The next one
// parses the text and makes the first states. From then on a match allocates nothing unless it meets something new.
//
// # Concurrency
//
// A [Pattern] may be used by multiple goroutines at once. Reading the automaton takes no lock; making a state does.
//
// # Security considerations
//
// Patterns and strings may come from users.
//
//   - Time is at most linear in the string, times the instructions that are alive at the same time. A match with a pattern of a schema
//     ends after 134 million steps (one or two seconds) and then counts as none. Searches of rules count their steps for a [Meter], which
//     may end them at any time. Many strings that each take long are not bounded together; a schema's author can cause that.
//   - [Pattern.FindAll] is linear while the instructions, times the length of the string, are at most 256 million. Beyond that the steps
//     grow with each match, and are counted.
//   - Memory for reading a pattern is about 20 bytes for a byte of its text, and 80 for a pattern that only package regexp/syntax can
//     read; a class of Unicode takes up to 5 KB. What package regexp/syntax has to read for one schema is limited to an effort of about a
//     second ([Checker]): 400 KB of text, or 290 ranges beyond ASCII where the case of letters does not count. What is above is
//     "expression too large". For patterns that rules compute the limit is 0.1 seconds, and [ErrTooCostly] comes instead.
//   - An automaton takes at most 192 KiB. Automata and trees of all patterns in the process take at most 64 MiB together, beside the one
//     that is in use. Beyond that those that were made first are made again when they are needed.
//   - A match or search takes up to 80 bytes for each instruction that its string can reach, of which there are at most 3.3 million, and a
//     search 48 MiB more to remember where it has been.
//
// # Parity
//
// Kubernetes 1.37, clauses VAL-030, CEN-027, CLI-001. Two deviations: a pattern that takes too long to read is too large, and a match that
// takes too long is none.
package pattern
