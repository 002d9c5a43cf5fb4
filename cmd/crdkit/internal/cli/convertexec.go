package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"
	"time"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
)

// maxReview is the size of the longest response of a converter.
const maxReview = 16 << 20

// execConverter returns a converter that runs a program for each review: the user has named it. Its answers are checked
// as a server checks those of a webhook.
func execConverter(d *crd.CustomResourceDefinition, program string, wait time.Duration) (conversion.Converter, error) {
	of, err := conversion.Compile(d)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(program); err != nil {
		return nil, fmt.Errorf("-convert-exec: %w", err)
	}
	post := func(ctx context.Context, review []byte) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		out, errs := &limitedBuffer{left: maxReview}, &limitedBuffer{left: 4 << 10}
		c := exec.CommandContext(ctx, program)
		c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = bytes.NewReader(review), out, errs, time.Second
		err := c.Run()
		switch {
		case out.cut:
			return nil, fmt.Errorf("%s: the response is longer than %d MiB", program, maxReview>>20)
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%s: no response within %v", program, wait)
		case err != nil:
			return nil, fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(errs.text))
		}
		return out.text, nil
	}
	return of.Webhook(rand.Text, post), nil
}

// A limitedBuffer keeps the first bytes that are written to it.
type limitedBuffer struct {
	text []byte
	left int
	cut  bool // there were more
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	keep := min(len(p), b.left)
	b.cut = b.cut || keep < len(p)
	b.left -= keep
	b.text = append(b.text, p[:keep]...)
	return len(p), nil
}
