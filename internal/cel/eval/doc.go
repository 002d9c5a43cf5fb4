// Package eval evaluates checked expressions. It plans each expression as closures over plain data, and counts the cost
// of an evaluation.
//
// [Plan] turns an expression that package check has type-checked into a [Program]. A [Machine] runs programs on data:
// maps, lists and scalars as package unstructured decodes them, described by the nodes of a compiled schema. An
// evaluation reads only the data that the expression uses, and data is neither copied nor converted beforehand: a rule
// on one field of an object with a thousand fields reads one field.
//
// # Values
//
// A value is data with its node, a literal, or the result of a computation. Its kind is determined at run time, because
// data may not match its schema; using such data is an error with the server's text (CVA-020). Objects have only their
// declared properties, maps have all of their keys; the list type decides how lists compare and add (CVA-030 to
// CVA-036). Where a server visits the keys of a map in random order, they are sorted here.
//
// # Known types
//
// Planning uses what the checker and the schema know: a bool, a string or an int is not converted to a value and back,
// and a field that the schema describes is one map lookup. The result is always the same: if data is not as expected,
// the general evaluation takes over, and determines the error and the cost. Computed values are kept in memory of the
// machine, which the next run reuses.
//
// # Functions
//
// The functions that expressions call are rows of a table ([Function], [Overload]): the signature of each overload, its
// static cost, its run-time cost, and its implementation. The files lib_*.go have the rows of one library each;
// table.go defines the rows. Package check uses the same rows, and package estimate calls their static costs. A new
// function needs only a new row. Strings, times and quantities have packages of their own below lib; other values are
// in files here: ip.go, cidr.go, weburl.go, semver.go and namedformat.go.
//
// # Variables
//
// Expressions of admission have other variables than self and oldSelf, and their data has no schema: [PlanCondition]
// and [Machine.LoadVariables]. The fields of a [Composition] are expressions themselves, each of which runs once, in a
// machine of its own, with its own cost. An [Authorizer] is a function that expressions ask.
//
// # Costs
//
// Costs are those of the table (CRC-020 to CRC-044), not those of cel-go, which is not used to run programs: a newer
// version of it in a program that imports this module does not change them. A charge that exceeds the machine's limit
// ends the run.
//
// # Bounds
//
// In a server, a rule with a low cost can use up all memory, or run forever. Here, strings and byte strings of more
// than text.MaxSize bytes and lists of more than 2 million items are errors. Two things are treated as over the cost
// limit: results of more than maxMade bytes in one run, since all may be kept, and more than maxTurns steps of work in
// one walk, whether they have a cost or not. Each function counts what it is about to read (visits) and to create
// (makes); work that is slower per byte counts more bytes. Four steps of a regular expression search count as one.
// Compiling a regular expression that a rule computes counts, too, and one that takes more than about 0.1 seconds to
// compile is over the limit.
//
// Repeated work is done once: the keys of a large map are sorted once, and a run that compares many lists and maps
// remembers the results. So values that share structure are compared in time linear in their memory.
//
// When the context ends, a loop stops within a hundred iterations (CMS-024), a regular expression search within
// milliseconds, and everything else after 64 KB of work. A single call of another function on a very long string is not
// interrupted; it takes about 50 ms at most.
//
// # Surprising results of a server
//
// Some results of a server are surprising. They are reproduced, since existing rules depend on them: has() of an
// optional chain as a branch of a conditional (CRC-016), errors that are treated as equal inside literal lists
// (CVA-045), sums of quantities that equal nothing on the right (CVA-042), panics that a server reports as errors of
// the rule (CRC-062). The clauses mark them as odd.
package eval
