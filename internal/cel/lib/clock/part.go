package clock

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Part is a part of a timestamp, and possibly of a duration, that a function of rules returns.
type Part struct {
	ofTime     func(time.Time) int
	ofDuration func(time.Duration) float64 // nil: a duration does not have it
}

// The parts.
var (
	FullYear   = &Part{time.Time.Year, nil}
	Month      = &Part{func(t time.Time) int { return int(t.Month() - 1) }, nil} // from 0
	DayOfYear  = &Part{func(t time.Time) int { return t.YearDay() - 1 }, nil}    // from 0
	DayOfMonth = &Part{func(t time.Time) int { return t.Day() - 1 }, nil}        // from 0
	Date       = &Part{time.Time.Day, nil}                                       // from 1
	DayOfWeek  = &Part{func(t time.Time) int { return int(t.Weekday()) }, nil}   // from 0, Sunday

	Hours        = &Part{time.Time.Hour, time.Duration.Hours}
	Minutes      = &Part{time.Time.Minute, time.Duration.Minutes}
	Seconds      = &Part{time.Time.Second, time.Duration.Seconds}
	Milliseconds = &Part{
		func(t time.Time) int { return t.Nanosecond() / 1e6 },
		func(d time.Duration) float64 { return float64(d.Milliseconds()) },
	}
)

// Of returns the part of t in a zone. A rule without a zone means UTC, whatever zone t was written with.
//
// Clause: CLI-070.
func (p *Part) Of(t time.Time, zone *time.Location) int64 { return int64(p.ofTime(t.In(zone))) }

// InDurations reports whether a duration has the part.
func (p *Part) InDurations() bool { return p.ofDuration != nil }

// OfDuration returns the number of whole units in d. As in the server, all but milliseconds are computed in float64: in
// a long duration, a fraction of nearly one counts as one. A duration must have the part.
//
// Clause: CLI-070.
func (p *Part) OfDuration(d time.Duration) int64 { return int64(p.ofDuration(d)) }

// Zones finds time zones, and caches those that it looked up. The zero value is ready to use, by one goroutine.
type Zones struct{ known map[string]*time.Location }

// manyZones is more than the number of zones in a database.
const manyZones = 4096

// Knows reports whether [Zones.Load] can return the zone of that name without looking it up.
func (z *Zones) Knows(name string) bool {
	return z.known[name] != nil || name == "" || strings.Contains(name, ":")
}

// Load is Zone, but looks up each name only once. It keeps copies of names.
func (z *Zones) Load(name string) (*time.Location, error) {
	if zone := z.known[name]; zone != nil {
		return zone, nil
	}
	name = strings.Clone(name)
	zone, err := Zone(name)
	if err != nil || strings.Contains(name, ":") || len(z.known) >= manyZones {
		return zone, err
	}
	if z.known == nil {
		z.known = make(map[string]*time.Location)
	}
	z.known[name] = zone
	return zone, nil
}

// Zone returns the zone that a rule names: an offset such as +05:30 or 05:30, whose numbers may have any size, or a
// name in the time zone database. The empty name is UTC. To look up a name, it reads a file.
//
// Clause: CLI-070.
func Zone(name string) (*time.Location, error) {
	hour, minute, isOffset := strings.Cut(name, ":")
	if !isOffset {
		if name == "Local" {
			return time.UTC, nil
		}
		return time.LoadLocation(name)
	}
	h, err := number(hour)
	if err != nil {
		return nil, err
	}
	m, err := number(minute)
	if err != nil {
		return nil, err
	}
	// A minute may have a sign, too. Numbers that are too large overflow.
	if strings.HasPrefix(hour, "-") {
		m = -m
	}
	offset := time.Duration(h*60+m) * time.Minute
	return time.FixedZone("", int(offset.Seconds())), nil
}

// number parses what strconv.Atoi parses where an int has 64 bits.
func number(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("strconv.Atoi: parsing %q: %w", s, errors.Unwrap(err))
	}
	return n, nil
}
