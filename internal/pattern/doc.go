// Package pattern matches strings with regular expressions in the syntax of package regexp: those of a schema, which
// match anywhere in a string unless they are anchored, and those of rules, which also find what matches.
//
//	p, err := pattern.Compile("^[a-z]+$")
//	p.MatchString("abc") // true
//
// The results are those of package regexp. This package has its own engine because package regexp takes memory
// quadratic in the number of groups, does not limit the size of a program, cannot be interrupted, and finds all matches
// in quadratic time. There are no groups here, because no caller needs submatches.
//
// There is one difference: here a surrogate in a pattern, such as \x{d800}, matches nothing. Package regexp lets it
// match U+FFFD at the beginning of a pattern that is anchored and unambiguous, but nowhere else.
//
// # The engine
//
// A pattern is parsed into a tree, by a parser of its own if it has simple parts only, otherwise by package
// regexp/syntax. The instructions of a nondeterministic automaton are built from the tree when a string first needs
// them. A deterministic automaton, whose states are also built when needed, handles ASCII strings. It takes 2 or 3
// nanoseconds a byte. If it has no result (at a byte above 0x7f before the result is clear, or when its states take too
// much memory), the nondeterministic automaton is simulated, which takes 20 to 50 nanoseconds a byte for most patterns.
//
// # Cost
//
// [Compile] only checks the syntax, which takes less than a microsecond for most patterns. A pattern that is never used
// consists of its text and two pointers. The first string, if it is short, is matched without keeping any state,
// because many patterns match only one string. The next one parses the text and builds the first states. After that a
// match allocates nothing unless it needs new states.
//
// # Concurrency
//
// A [Pattern] may be used by multiple goroutines. Reading the automaton takes no lock; building a state does.
//
// # Security considerations
//
// Patterns and strings are untrusted input.
//
//   - Time is at most linear in the string, times the instructions that are active at the same time. A match with a
//     schema's pattern ends after 134 million steps (one or two seconds) and then counts as no match. Searches by rules
//     report their steps to a [Meter], which may end them at any time. There is no common limit for many strings that
//     each take long; a schema's author can cause that.
//   - [Pattern.FindAll] is linear while the instructions, times the length of the string, are at most 256 million.
//     Beyond that the steps grow with each match, and are counted.
//   - Parsing a pattern takes about 20 bytes of memory for a byte of its text, or 80 if only package regexp/syntax can
//     parse it; a Unicode class takes up to 5 KB. What package regexp/syntax parses for one schema is limited to about
//     a second of work ([Checker]): 400 KB of text, or 290 ranges beyond ASCII with case folding. Anything above is
//     "expression too large". For patterns that rules compute the limit is 0.1 seconds, and the error is
//     [ErrTooCostly].
//   - An automaton takes at most 192 KiB. Automata and trees of all patterns in the process take at most 64 MiB
//     together, in addition to the current one. Beyond that the oldest ones are dropped, and built again when needed.
//   - A match or search takes up to 80 bytes for each instruction that its string can reach, of which there are at most
//     3.3 million. A search takes 48 MiB more to remember visited positions.
//
// # Parity
//
// Kubernetes 1.37, clauses VAL-030, CEN-027, CLI-001. Two deviations: a pattern that takes too long to parse is too
// large, and a match that takes too long is no match.
package pattern
