// Package eval runs checked expressions: it plans each to closures over plain data, and counts what running them costs.
//
// A [Program] is what [Plan] makes of an expression that package check has type-checked. A [Machine] runs programs on data: maps,
// lists and scalars as package unstructured decodes them, seen through the nodes of a compiled schema. Data is looked at only where an
// expression touches it, and is neither copied nor converted beforehand: of an object of a thousand fields, a rule on one of them sees
// one.
//
// # Values
//
// A value is data with its node, a literal, or something computed. Its kind is found at run time, since data may contradict its
// schema: then touching it is an error with the server's text (CVA-020). Objects know their declared properties only, maps all of
// their keys; the list type decides how lists compare and add (CVA-030 to CVA-036). Where a server visits the keys of a map in random
// order, here they are sorted.
//
// # Known types
//
// What the checker and the schema know is made use of where a program is planned: a bool, a string or an int is not made a value to be
// looked at again, and a field that the schema describes is one look-up. There is one meaning all the same: what does not look as
// expected goes the general way, which says what is wrong and what that costs. What a run computes is kept in memory of the machine,
// which is used again by the next run.
//
// # Functions
//
// The functions that expressions call are rows of a table ([Function], [Overload]): the signature of each overload, its static cost, what it
// is charged when it runs, and what it does. The files lib_*.go have the rows of one library each, table.go has what a row consists of.
// Packages check and estimate take what they need from the same rows. A new function is a new row and nothing else.
//
// # Costs
//
// Costs are those of the table (CRC-020 to CRC-044), not those of cel-go, which has no part in running programs: a newer version of it in an
// importer's build changes none of them. A charge that passes the machine's limit ends the run.
//
// # What is bounded
//
// A server's own functions can be made to take more memory or time than there is, at little cost. Here strings and byte strings of more
// than text.MaxSize bytes and lists of more than 2 million items are errors. What counts as over the cost limit: results of more
// than maxMade bytes in one run, since all may be kept, and in one walk more than maxTurns steps of work, paid for or not. Each function
// counts what it is about to look at (visits) and to make (makes); what takes longer per byte than a look counts that many bytes more.
// Four steps of a search with a regular expression count as one. Reading a regular expression that a rule computes counts, too, and one that
// takes more than some 0.1 seconds to read is over the limit.
//
// Work that would be done again and again is done once: a large map's keys are sorted once, and the results of comparing lists and maps are
// remembered in a run that compares many. So values that share structure are compared in the time that they take up.
//
// A context that is done ends a loop at its next hundredth turn (CMS-024), a search with a regular expression within milliseconds, and
// everything else after 64 KB of work; one call of another function on a very long string is not interrupted, which takes some 50 ms at most.
//
// # What is copied on purpose
//
// Some results of a server are surprising, and are copied since rules in use depend on them: has() of an optional chain as a branch of a
// conditional (CRC-016), errors that count as equal inside literal lists (CVA-045), sums of quantities that equal nothing on the right
// (CVA-042), panics that a server reports as errors of the rule (CRC-062). The clauses mark them as odd.
package eval
