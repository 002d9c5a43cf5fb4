// Package kubeversion tells which Kubernetes takes a CustomResourceDefinition: what a server of another minor version says of it on create.
//
//	d, err := crd.Parse(document)
//	for _, v := range kubeversion.Range(d) {
//		fmt.Println(v.Version, v.Accepted())
//	}
//
// A [Verdict] has the errors, the fields that the version does not know or drops, and notes: which function of a rule came when, and what the
// version does to objects that older ones do not, such as to enforce a format. docs/kubeversion.md has the facts that all this is made from.
//
// [Range] and [Versions] are about 1.28 to 1.37; [Check] knows 1.25 to 1.27 too. A verdict is about the newest patch release of a version with the
// gates that are on by default. Managed clusters may have other gates, and emulated versions other functions.
//
// # Errors
//
// Types and fields of errors are those of the version, texts those of 1.37. An unknown version is an error of Check; nothing panics.
//
// # Mutation, aliasing and concurrency
//
// Nothing is modified. Errors alias the definition. All functions may be called by multiple goroutines.
//
// # Cost
//
// A verdict costs two to three times as much as [crdcheck.Validate], which the newest version needs in any case; Range costs ten times as much
// for Gateway API's HTTPRoute (11 times the allocations, BenchmarkRange), and more for a definition with the same rule in many places.
//
// # Parity
//
// Of 3,126 recorded definitions, 99.8% or more have the same errors (type and field) and unknown fields at each version from 1.28 on, all of them from
// 1.33 on; 97.7% at 1.25, and 99.6% at 1.26 and 1.27. docs/kubeversion.md has what differs, and what is not modelled: some patch releases, gates
// that are not the default, emulated versions.
package kubeversion
