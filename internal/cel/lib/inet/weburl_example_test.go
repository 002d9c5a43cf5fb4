package inet_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/cel/lib/inet"
)

func ExampleParseURL() {
	u, err := inet.ParseURL("https://Example.com:8080/a?k=v&k=w#f")
	fmt.Println(u.Scheme(), u.Host(), u.Port(), u.EscapedPath(), u.Query(), err)
	_, err = inet.ParseURL("a/b")
	fmt.Println(err)
	// Output:
	// https Example.com:8080 8080 /a map[k:[v w]] <nil>
	// URL parse error during conversion from string: parse "a/b": invalid URI for request
}
