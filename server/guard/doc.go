// Package guard limits the memory and time of a server of reviews, such as an admission or a conversion webhook, for
// any requests of clients. It does not depend on the contents of reviews: it calls a function that takes the body of a
// request and returns the body of the response. Package admission has such a function for admission reviews, and package
// conversion one for conversion reviews. It links only the standard library.
//
// # Timeouts
//
// An API server sets its timeout in the query of the URL: ?timeout=10s. Each request is answered before that, even if
// the work ignores the end of its context: then the answer is an HTTP error, and the work occupies its place until it
// returns.
//
// # Lanes
//
// The work for a small review (of at most [SmallBody] bytes) starts in a lane of its own, so that no small review waits
// for the work of a large one. If it takes longer than [Brief] while others wait for its place, it is canceled, and
// starts again in the other lane, with the large reviews. There, each review weighs 32 times its size, but at least
// half the lane, because its size alone does not determine its cost. Together, the running reviews weigh at most half
// the memory: two run at once, or one if it is large or there are fewer than four processors. Other reviews wait in a
// queue, and work that has taken longer than [Long] is canceled for them.
//
// # Memory
//
// Before their work starts, requests hold bodies, buffers and connections. At most [Limits.Requests] requests are in
// progress, and at most [Limits.Connections] connections are open. If there is one more, an idle one is closed: one
// that has sent nothing, or else one that has not begun a request, or else one whose first request is not complete, or
// else any. Of those, it is the one that has been idle for the longest time. So silent and slow clients do not block
// others. Bodies and answers that are not small share an eighth of the memory.
//
// # Answers that are errors
//
//   - 408: the body did not arrive in time, or was dropped for other requests.
//   - 413: the body is larger than [Limits.Body]. 415: it is not JSON, or is compressed.
//   - 500: the work panicked. The stack is in the log.
//   - 503 with Retry-After: no lane, or no memory for the body, was free before the timeout.
//   - 504: the work was not finished at the timeout, or was canceled for other work.
package guard
