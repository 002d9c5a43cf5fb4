package semver_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/lib/semver"
)

func ExampleParse() {
	v, err := semver.Parse("v1.02", true)
	fmt.Println(v.Major(), v.Minor(), v.Patch(), err)
	_, err = semver.Parse("v1.02", false)
	fmt.Println(err)
	// Output:
	// 1 2 0 <nil>
	// No Major.Minor.Patch elements found
}
