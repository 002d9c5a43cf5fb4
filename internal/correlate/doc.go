// Package correlate finds which value of an old object belongs to a value of a new one, and whether the two are equal. That is what an
// update may keep although it is wrong (ratcheting), and what a rule sees as oldSelf.
//
// Two questions look alike and are not. What belongs to what for oldSelf follows the data ([Items] for lists that are maps, keys for
// objects, whether a schema knows them or not: CEV-021). What belongs to what for ratcheting follows the schema as well ([Pair]): a
// key without a schema has no counterpart, and makes what it is in a changed value (RAT-001, RAT-009).
package correlate
