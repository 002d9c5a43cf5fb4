package server

import (
	"net/http"
	"time"
)

// An Observation is a request that was answered.
type Observation struct {
	RequestInfo
	Method   string
	User     User // empty: it was not authenticated
	Code     int  // the status code; 0: there was no answer
	Duration time.Duration
	Bytes    int64 // of the answer's body, as sent
}

// An observed response counts what is written.
type observed struct {
	http.ResponseWriter
	code  int
	bytes int64
}

// Unwrap is called by [http.ResponseController].
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (o *observed) WriteHeader(code int) {
	if o.code == 0 {
		o.code = code
	}
	o.ResponseWriter.WriteHeader(code)
}

// Write implements [http.ResponseWriter].
func (o *observed) Write(b []byte) (int, error) {
	if o.code == 0 {
		o.code = http.StatusOK
	}
	n, err := o.ResponseWriter.Write(b)
	o.bytes += int64(n)
	return n, err
}

// observe returns a response for w, and a function that reports it when the request ends.
func (s *Server) observe(w http.ResponseWriter, r *http.Request, user *User) (http.ResponseWriter, func()) {
	if s.options.Observe == nil {
		return w, func() {}
	}
	start, o := time.Now(), &observed{ResponseWriter: w}
	return o, func() {
		s.options.Observe(Observation{
			RequestInfo: RequestInfoOf(r), Method: r.Method, User: *user, Code: o.code, Duration: time.Since(start), Bytes: o.bytes,
		})
	}
}
