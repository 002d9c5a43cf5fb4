package clock

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Part is a part of a timestamp or of a duration that a function of rules returns.
type Part uint8

// The parts. A duration has the last four only.
const (
	FullYear   Part = iota
	Month           // from 0
	DayOfYear       // from 0
	DayOfMonth      // from 0
	Date            // from 1
	DayOfWeek       // from 0, which is Sunday
	Hours
	Minutes
	Seconds
	Milliseconds
)

// Of returns the part of t in a zone. A rule that names none means UTC, whatever zone t was written with.
//
// Clause: CLI-070.
func (p Part) Of(t time.Time, zone *time.Location) int64 {
	t = t.In(zone)
	switch p {
	case FullYear:
		return int64(t.Year())
	case Month:
		return int64(t.Month() - 1)
	case DayOfYear:
		return int64(t.YearDay() - 1)
	case DayOfMonth:
		return int64(t.Day() - 1)
	case Date:
		return int64(t.Day())
	case DayOfWeek:
		return int64(t.Weekday())
	case Hours:
		return int64(t.Hour())
	case Minutes:
		return int64(t.Minute())
	case Seconds:
		return int64(t.Second())
	}
	return int64(t.Nanosecond() / int(time.Millisecond))
}

// OfDuration returns the whole duration in the unit, without the fraction. All but milliseconds are calculated in float64, as the server
// does: of long durations a fraction that is nearly one counts as one. It returns 0 for the parts that a duration does not have.
//
// Clause: CLI-070.
func (p Part) OfDuration(d time.Duration) int64 {
	switch p {
	case Hours:
		return int64(d.Hours())
	case Minutes:
		return int64(d.Minutes())
	case Seconds:
		return int64(d.Seconds())
	case Milliseconds:
		return d.Milliseconds()
	}
	return 0
}

// Zones finds time zones, and remembers those that it had to look up. Its zero value is ready. It is for one goroutine.
type Zones struct{ known map[string]*time.Location }

// manyZones is more than a database has of them.
const manyZones = 4096

// Knows reports whether [Zones.Load] has no zone of that name to look up.
func (z *Zones) Knows(name string) bool {
	return z.known[name] != nil || name == "" || strings.Contains(name, ":")
}

// Load is Zone, but looks up a name only once.
func (z *Zones) Load(name string) (*time.Location, error) {
	if zone := z.known[name]; zone != nil {
		return zone, nil
	}
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

// Zone returns the zone that a rule names: an offset such as +05:30 or 05:30, whose numbers may have any size, or a name of the database
// of time zones. The empty name is UTC. Looking a name up reads a file.
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
	// A minute may have a sign, too. Numbers that are too large wrap.
	if strings.HasPrefix(hour, "-") {
		m = -m
	}
	offset := time.Duration(h*60+m) * time.Minute
	return time.FixedZone("", int(offset.Seconds())), nil
}

// number reads what strconv.Atoi does where an int has 64 bits.
func number(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("strconv.Atoi: parsing %q: %w", s, errors.Unwrap(err))
	}
	return n, nil
}
