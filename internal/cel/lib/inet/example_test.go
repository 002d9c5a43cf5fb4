package inet_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/lib/inet"
)

func ExampleParseIP() {
	ip, err := inet.ParseIP("2001:DB8::1")
	fmt.Println(ip, ip.Family(), err)
	_, err = inet.ParseIP("::ffff:1.2.3.4")
	fmt.Println(err)
	// Output:
	// 2001:db8::1 6 <nil>
	// IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed
}

func ExampleParseCIDR() {
	c, err := inet.ParseCIDR("10.1.2.3/8")
	fmt.Println(c, c.Masked(), c.IP(), c.PrefixLength(), err)
	// Output: 10.1.2.3/8 10.0.0.0/8 10.1.2.3 8 <nil>
}
