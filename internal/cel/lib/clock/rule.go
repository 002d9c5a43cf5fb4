package clock

// Texts and arithmetic of rules.

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

var (
	errTimestampOverflow = errors.New("timestamp overflow") // it is outside the years 1 to 9999
	errDurationOverflow  = errors.New("integer overflow")

	errTextToTimestamp = errors.New("type conversion error from 'string' to 'google.protobuf.Timestamp'")
	errTextToDuration  = errors.New("type conversion error from 'string' to 'google.protobuf.Duration'")
)

// The first and the last second of a timestamp: 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

// inRange reports whether t may result from a conversion or from arithmetic.
func inRange(t time.Time) bool { return isSecond(t.Unix()) }

func isSecond(seconds int64) bool { return firstSecond <= seconds && seconds <= lastSecond }

// ParseTimestamp is timestamp(s): RFC 3339 as Go parses it, in the years 1 to 9999.
//
// Clauses: CLI-072, CMS-022.
func ParseTimestamp(s string) (time.Time, error) {
	t, err := parse(time.RFC3339, s)
	switch {
	case err != nil:
		return time.Time{}, errTextToTimestamp
	case !inRange(t):
		return time.Time{}, errTimestampOverflow
	}
	return t, nil
}

// UnixTimestamp is timestamp(seconds), in UTC.
//
// Clause: CLI-072.
func UnixTimestamp(seconds int64) (time.Time, error) {
	if !isSecond(seconds) {
		return time.Time{}, errTimestampOverflow
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// ParseDuration is duration(s): what time.ParseDuration accepts.
//
// Clauses: CLI-072, CMS-022.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errTextToDuration
	}
	return d, nil
}

// AppendTimestamp appends string(t): RFC 3339 with as many fractional digits as needed, in the timestamp's own zone.
//
// Clause: CLI-071.
func AppendTimestamp(dst []byte, t time.Time) []byte { return t.AppendFormat(dst, time.RFC3339Nano) }

// AppendDuration appends string(d): the seconds as the shortest decimal number for the same float64, followed by an s.
//
// Clause: CLI-071.
func AppendDuration(dst []byte, d time.Duration) []byte {
	return append(strconv.AppendFloat(dst, d.Seconds(), 'f', -1, 64), 's')
}

// Add returns t + d, in the zone of t.
//
// Clause: CMS-022.
func Add(t time.Time, d time.Duration) (time.Time, error) {
	sum := t.Add(d)
	if !inRange(sum) {
		return time.Time{}, errTimestampOverflow
	}
	return sum, nil
}

// Subtract returns t - d, in the zone of t. The most negative duration cannot be subtracted.
//
// Clause: CMS-022.
func Subtract(t time.Time, d time.Duration) (time.Time, error) {
	if d == math.MinInt64 {
		return time.Time{}, errDurationOverflow
	}
	return Add(t, -d)
}

// Between returns t - from. The number of whole seconds must fit a duration, too.
//
// Clause: CMS-022.
func Between(t, from time.Time) (time.Duration, error) {
	seconds := t.Unix() - from.Unix()
	const most = math.MaxInt64 / int64(time.Second)
	if seconds > most || seconds < -most {
		return 0, errDurationOverflow
	}
	whole := time.Duration(seconds) * time.Second
	rest := time.Duration(t.Nanosecond() - from.Nanosecond())
	if (whole+rest > whole) != (rest > 0) {
		return 0, errDurationOverflow
	}
	return whole + rest, nil
}

// parse parses s independently of the host's zone. A zero offset is a zone of its own, not UTC: see Identity in the
// package's doc.
func parse(layout, s string) (time.Time, error) {
	t, err := time.ParseInLocation(layout, s, time.UTC)
	if err != nil {
		return time.Time{}, err
	}
	if t.Location() == time.UTC && strings.HasSuffix(layout, "Z07:00") && s[len(s)-1] != 'Z' {
		t = t.In(time.FixedZone("", 0))
	}
	return t, nil
}
