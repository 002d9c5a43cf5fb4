package comparison

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/crdkit/crdkit/internal/test/scenario"
	"github.com/crdkit/crdkit/parity/gen"
)

// explain prints the smallest scenario that was found to have the difference.
func (c *comparison) explain(ctx context.Context, d difference) {
	s := c.scenario(d.number)
	s.Requests = s.Requests[:d.request+1]
	deadline := time.Now().Add(c.Shrink)
	last := d.result
	// differs reports whether the last request of a smaller scenario still has a difference of the same aspect.
	differs := func(smaller scenario.Scenario) bool {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return false
		}
		var found scenario.Result
		for range 2 { // a server's answer can be random
			_, results, err := c.play(ctx, smaller)
			i, r := first(results)
			if err != nil || i != len(smaller.Requests)-1 || r.Aspect != d.result.Aspect {
				return false
			}
			found = r
		}
		last = found
		return true
	}
	for i := len(s.Requests) - 2; i >= 0; i-- {
		smaller := s
		smaller.Requests = slices.Delete(slices.Clone(s.Requests), i, i+1)
		if differs(smaller) {
			s = smaller
		}
	}
	for i := len(s.Requests) - 1; i >= 0; i-- { // the last one first
		r := s.Requests[i]
		if r.Body == nil {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(r.Body))
		d.UseNumber()
		var body any
		if d.Decode(&body) != nil {
			continue
		}
		with := func(body any) scenario.Scenario {
			smaller := s
			smaller.Requests = slices.Clone(s.Requests)
			smaller.Requests[i].Body, _ = json.Marshal(body)
			return smaller
		}
		s = with(gen.Shrink(body, func(body any) bool { return differs(with(body)) }))
	}
	fmt.Fprintf(c.w, "\n--- go run . -seed %d -scenario %d\n%s: %s\n", c.Seed, d.number, s.Requests[len(s.Requests)-1].Area, last.Aspect)
	for _, r := range s.Requests {
		fmt.Fprintf(c.w, "%s %s %s\n", r.Method, r.Path, r.Body)
	}
	fmt.Fprintln(c.w, last.Difference)
}
