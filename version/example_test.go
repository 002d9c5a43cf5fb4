package version_test

import (
	"fmt"

	"github.com/crdkit/crdkit/version"
)

func ExampleCompare() {
	fmt.Println(version.Compare("v1", "v2beta1") > 0) // stable before beta
	fmt.Println(version.Compare("v1", "v10") > 0)     // numbers, not text
	fmt.Println(version.Compare("v1", "v01"))         // equal priority
	// Output:
	// true
	// false
	// 0
}

func ExampleSort() {
	versions := []string{"v1alpha1", "experimental", "v1", "v2beta1", "v10"}
	version.Sort(versions)
	fmt.Println(versions)
	// Output: [v10 v1 v2beta1 v1alpha1 experimental]
}
