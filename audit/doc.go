// Package audit finds the stored objects that a CustomResourceDefinition, or a change of it, breaks.
//
//	a, err := audit.New(definition, &audit.Options{Old: before})
//	if err != nil {
//		return err
//	}
//	report, err := a.Run(ctx, audit.Objects(os.Stdin)) // what kubectl get -A -o json prints
//	if err != nil {
//		return err
//	}
//	fmt.Print(report)
//
// # Questions
//
// For each stored object, an audit determines what a server with the definition would do in these requests:
//
//   - [Create]: create the same object, as when a backup is restored. A status that belongs to a subresource is
//     dropped, and so are the members of metadata that only a server sets;
//   - [Update]: update it with no change, as controllers do. Ratcheting accepts what is invalid already;
//   - [Read]: read it in each served version and write it back in that version;
//   - [Migrate]: write an object of another version to the storage version, as a storage version migration does, which
//     may lose or change fields;
//   - [Prune]: drop the fields that the schema does not have;
//   - [Default]: add default values.
//
// The answers are those of package resource. Most objects are fine; [resource.Version.SettledStored] finds that out
// from their text, without decoding it.
//
// # Versions
//
// Objects may be stored in any version of the definition. They are converted by the strategy None, or by
// [Options.Converter]. If the definition has a conversion webhook and there is no converter, an object is checked in
// its own version, and the report says for how many objects nothing else is known. [Report.Versions] says which versions
// have objects, and [Report.Removable] which ones status.storedVersions does not need any more. Both are about the store
// only if the objects are as they lie in it: what kubectl prints is converted to one version.
//
// # Sources
//
// [Objects] reads a stream: the output of kubectl get -o json or -o yaml, an array, JSON objects one after another, as
// in NDJSON, or YAML documents. It holds one object at a time. [Tar] and [Dir] read the files of an archive and of a
// directory. Any other iterator over the texts of objects works, too: examples/apiserver has some for etcd.
//
// # Damage
//
// What cannot be read is counted and reported with its position, and the run continues after it. Objects of another
// kind are counted separately.
//
// # Errors
//
// [New] returns an error for a definition that cannot be compiled. [Audit.Run] returns the error of a context that has
// ended, with the report so far. What is wrong with an object is a [Finding], not an error.
//
// # Concurrency
//
// An Audit is immutable and safe for concurrent use by multiple goroutines. Run uses several goroutines, which have all
// ended when it returns, unless its context has ended: then each ends with its current object. Apart from its times, a
// report does not depend on the number of workers.
//
// # Cost
//
// Time is linear in the size of the objects. Memory does not depend on their number: a run holds a few hundred objects,
// 1,000 groups of findings, and a few names for each group. Rules are not evaluated again on a value that has passed
// them before, so an object whose values with rules equal those of others takes a fraction of the time.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families DEC, STR, PRU, DEF, RAT and CNV:
// docs/internals/behaviour.md in the repository lists them with their tests.
//
// # Security considerations
//
// Objects may come from anyone. Time and memory for one object are bounded as in package resource. An object of more
// than [MaxObject] bytes is skipped, and counts as damaged. Texts from objects are cut in a report.
package audit
