package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"time"
)

// read returns the body of a request. When it is no longer needed, the caller calls done.
func (g *Guard) read(ctx context.Context, out http.ResponseWriter, in *http.Request) (body []byte, done func(), err error) {
	contentType := in.Header.Get("Content-Type")
	if name, _, err := mime.ParseMediaType(contentType); err != nil || name != "application/json" {
		return nil, nil, &refusal{
			http.StatusUnsupportedMediaType, fmt.Sprintf("the content type is %.100q: it must be application/json", contentType),
		}
	}
	if encoding := in.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, nil, &refusal{http.StatusUnsupportedMediaType, fmt.Sprintf("the content encoding is %.100q: there must be none", encoding)}
	}
	if in.ContentLength > g.limits.Body {
		return nil, nil, tooLarge(g.limits.Body)
	}
	control := http.NewResponseController(out)
	m := g.requests.Enter(func() { _ = control.SetReadDeadline(time.Now()) })
	if m == nil {
		return nil, nil, errFull
	}
	deadline := time.Now().Add(toRead)
	if end, ok := ctx.Deadline(); ok && end.Before(deadline) {
		deadline = end
	}
	_ = control.SetReadDeadline(deadline) // without support for it, the server's deadline applies
	body, free, err := g.readAll(ctx, http.MaxBytesReader(out, in.Body, g.limits.Body), in.ContentLength)
	if err != nil {
		m.Leave()
		return nil, nil, g.unread(err)
	}
	if !m.Begin() {
		free()
		m.Leave() // waits until nothing sets the deadline any more
		return nil, nil, errUnread
	}
	_ = control.SetReadDeadline(time.Time{}) // an expired deadline would end the request, too
	return body, func() { free(); m.Leave() }, nil
}

// readAll reads a body of that length, or an unknown one if it is negative. A body that is not small waits for memory.
func (g *Guard) readAll(ctx context.Context, from io.Reader, length int64) (body []byte, free func(), err error) {
	start, err := io.ReadAll(io.LimitReader(from, SmallBody+1))
	if err != nil || len(start) <= SmallBody {
		return start, func() {}, err
	}
	if length < 0 {
		length = g.limits.Body
	}
	if free, err = g.texts.Enter(ctx, length, 0); err != nil {
		return nil, nil, err
	}
	whole := bytes.NewBuffer(start)
	if _, err = whole.ReadFrom(from); err != nil {
		free()
		return nil, nil, err
	}
	return whole.Bytes(), free, nil
}

// unread returns the refusal of a body that could not be read.
func (g *Guard) unread(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errUnread
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return errFull
	}
	return &refusal{http.StatusBadRequest, "the body cannot be read: " + err.Error()}
}
