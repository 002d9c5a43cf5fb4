// Package pattern matches strings with the patterns of a schema: regular expressions in the syntax of package regexp, which match
// anywhere in a string unless they are anchored.
//
//	p, err := pattern.Compile("^[a-z]+$")
//	p.MatchString("abc") // true
//
// The verdict is always that of package regexp, which takes some 20 to 50 nanoseconds a byte. A schema's pattern sees many short
// strings of ASCII, so this package builds an automaton for them, which takes 2 or 3 nanoseconds a byte. Its states are made when
// a string first needs them, so that counted repetitions cost nothing until they are used.
//
// # Cost
//
// [Compile] only checks the syntax, which takes a microsecond for most patterns; one that is never used is its text and two pointers.
// The first string, if it is short, is matched without anything that stays: many a pattern meets no other. The next one parses
// the text and makes the first states, which takes one to three times as long as regexp.Compile does. From then on a match
// allocates nothing unless it meets something new.
//
// Package regexp answers where the automaton cannot: for a string in which a byte above 0x7f comes before the verdict is clear,
// for patterns of more than 4,000 instructions, and for those whose states have taken more than 128 KiB. Repetitions such as
// [a-z]{0,253} stay below these limits.
//
// # Concurrency
//
// A [Pattern] may be used by multiple goroutines at once. Reading the automaton takes no lock; making a state does.
//
// # Security considerations
//
// Patterns and strings may come from users. Time is linear in the string, as with package regexp. Compile refuses the repetitions
// that package regexp refuses. Those that it accepts may still need some hundred megabytes when it compiles them, which happens
// at the first match and not before.
//
// # Parity
//
// Kubernetes 1.37, clause VAL-030.
package pattern
