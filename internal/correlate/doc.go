// Package correlate finds the value of an old object that corresponds to a value of a new one, and whether the two are
// equal. An update may keep equal values even if they are invalid (ratcheting), and rules see the old value as oldSelf.
//
// The two uses differ. The correspondence for oldSelf follows the data ([Items] for lists that are maps, keys for
// objects, whether or not a schema has them: CEV-021). The correspondence for ratcheting also follows the schema
// ([Pair]): a key without a schema has no counterpart, and makes the object that has it a changed value (RAT-001,
// RAT-009).
package correlate
