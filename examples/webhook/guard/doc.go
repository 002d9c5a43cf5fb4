// Package guard keeps a server of reviews, such as an admission or a conversion webhook, within bounds of memory and time, whatever it
// is sent. It knows nothing of what is in a review: any function that takes the body of a request and returns that of the answer can be
// behind it. It uses nothing but the standard library, so that it can be copied.
//
// # An answer in time
//
// An API server names in the query of the URL how long it waits: ?timeout=10s. Each request is answered before that, also where the work
// takes no notice of its context's end: then the answer is an error of HTTP, and the work keeps its place until it ends by itself.
//
// # Places
//
// The work for a small review (of at most [SmallBody] bytes) starts in a lane of its own, so that no small review waits for the work of a
// large one. If it takes longer than [Brief] and others wait for its place, it is stopped, and starts again in the other lane, beside the
// large reviews. There, each review weighs 32 times its size, but at least half the lane, since its size alone does not say what it needs.
// As many run at once as together weigh half the memory: two, or one if it is large or there are fewer than four processors. Reviews that
// find no place wait in line, and what has taken longer than [Long] then makes room.
//
// # Memory
//
// Before their work, requests can hold bodies, buffers and connections. At most [Limits.Requests] requests are under way, and at most
// [Limits.Connections] connections are open. Where there is one more, the one that has sent nothing complete for the longest time has to
// leave, so that silent clients and slow ones do not keep others out. Bodies and answers that are not small share an eighth of the memory.
//
// # Answers that are errors
//
//   - 408: the body did not arrive in time, or had to make room for other requests.
//   - 413: the body is larger than [Limits.Body]. 415: it is no JSON, or is compressed.
//   - 500: the work panicked. The stack is in the log.
//   - 503 with Retry-After: there was no place, or no room for the body, until the time was over.
//   - 504: the work was not finished when the time was over, or made room for other work.
package guard
