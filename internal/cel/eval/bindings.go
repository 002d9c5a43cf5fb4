package eval

import "time"

// This file has bindings of Go functions. Each constructor takes the Go function, functions that convert its arguments
// from values, and a function that converts its result to a value.

// call1 returns a binding of a function with one argument.
func call1[A, R any](a func(value) A, do func(A) R, give func(*frame, R) value) binding {
	return func(f *frame, args []value) value { return give(f, do(a(args[0]))) }
}

// call2 returns a binding of a function with two arguments.
func call2[A, B, R any](a func(value) A, b func(value) B, do func(A, B) R, give func(*frame, R) value) binding {
	return func(f *frame, args []value) value { return give(f, do(a(args[0]), b(args[1]))) }
}

// try1 is call1 for a function that may fail.
func try1[A, R any](a func(value) A, do func(A) (R, error), give func(*frame, R) value) binding {
	return func(f *frame, args []value) value {
		r, err := do(a(args[0]))
		return result(f, r, err, give)
	}
}

// try2 is call2 for a function that may fail.
func try2[A, B, R any](a func(value) A, b func(value) B, do func(A, B) (R, error), give func(*frame, R) value) binding {
	return func(f *frame, args []value) value {
		r, err := do(a(args[0]), b(args[1]))
		return result(f, r, err, give)
	}
}

// try3 is try2 for three arguments.
func try3[A, B, C, R any](a func(value) A, b func(value) B, c func(value) C, do func(A, B, C) (R, error), give func(*frame, R) value) binding {
	return func(f *frame, args []value) value {
		r, err := do(a(args[0]), b(args[1]), c(args[2]))
		return result(f, r, err, give)
	}
}

// result converts the result of a Go function to a value.
func result[R any](f *frame, r R, err error, give func(*frame, R) value) value {
	if err != nil {
		return failureOf(err)
	}
	return give(f, r)
}

// visiting makes a binding count its first argument, a string, before it runs. Each byte counts as n.
func visiting(n int, run binding) binding {
	return func(f *frame, args []value) value {
		f.visits(n * len(args[0].str()))
		return run(f, args)
	}
}

// goValue returns the Go value in v, which must have type T.
func goValue[T any](v value) T { return v.ref.(T) }

func asText(f *frame, s string) value            { return f.text(s) }
func asBool(_ *frame, b bool) value              { return boolean(b) }
func asInt(_ *frame, i int64) value              { return integer(i) }
func asUint(_ *frame, u uint64) value            { return unsigned(u) }
func asDouble(_ *frame, d float64) value         { return double(d) }
func asBytes(_ *frame, b []byte) value           { return bytes(b) }
func asTimestamp(_ *frame, t time.Time) value    { return timestamp(t) }
func asDuration(_ *frame, d time.Duration) value { return duration(d) }

func identity(_ *frame, a []value) value { return a[0] }
