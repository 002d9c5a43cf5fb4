// Package kubeversion checks which versions of Kubernetes accept a CustomResourceDefinition: what a server of another
// minor version reports on create.
//
//	d, err := crd.Parse(document)
//	for _, v := range kubeversion.Range(d) {
//		fmt.Println(v.Version, v.Accepted())
//	}
//
// A [Verdict] has the errors, the fields that the version does not know or drops, and notes: which function of a rule
// was added when, and what the version does to objects that older ones do not, such as enforcing a format.
// docs/kubeversion.md lists the facts on which all this is based.
//
// [Range] and [Versions] cover 1.28 to 1.37; [Check] also knows 1.25 to 1.27, and [Next]: 1.38, as of 1.38.0-beta.0. A
// verdict is about the newest patch release of a version with the feature gates that are on by default. Managed clusters
// may have other gates, and emulated versions other functions.
//
// # Errors
//
// Types and fields of errors are those of the version, texts are those of 1.37. Check returns an error for an unknown
// version; nothing panics.
//
// # Mutation, aliasing and concurrency
//
// Nothing is modified. Errors alias the definition. All functions may be called by multiple goroutines.
//
// # Cost
//
// A verdict costs two to three times as much as [crdcheck.Validate], which the newest version needs in any case. For
// Gateway API's HTTPRoute, Range costs ten times as much (11 times the allocations, BenchmarkRange), and more for a
// definition with the same rule in many places.
//
// # Parity
//
// Of 3,126 recorded definitions, 99.8% or more have the same errors (type and field) and unknown fields at each version
// from 1.28 on, and all of them from 1.33 on; 97.7% at 1.25, and 99.6% at 1.26 and 1.27. docs/kubeversion.md lists the
// differences, and what is not modelled: some patch releases, gates that are not the default, emulated versions.
package kubeversion
