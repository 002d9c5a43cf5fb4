package query

import (
	"strconv"
	"time"
)

// InvalidAge is the age of a time that is no time, or in the future.
const InvalidAge = "<invalid>"

// Age prints a duration with one unit, or with two where one would be too imprecise. It tolerates clocks that are a
// second late.
//
// Clauses: TAB-022.
func Age(d time.Duration) string {
	const day, year = 24, 365 * 24 // in hours
	seconds, minutes, hours := int64(d/time.Second), int64(d/time.Minute), int64(d/time.Hour)
	switch {
	case seconds < -1:
		return InvalidAge
	case seconds < 0:
		return "0s"
	case seconds < 120:
		return ageUnits(seconds, "s", 0, "")
	case minutes < 10:
		return ageUnits(minutes, "m", seconds%60, "s")
	case minutes < 180:
		return ageUnits(minutes, "m", 0, "")
	case hours < 8:
		return ageUnits(hours, "h", minutes%60, "m")
	case hours < 2*day:
		return ageUnits(hours, "h", 0, "")
	case hours < 8*day:
		return ageUnits(hours/day, "d", hours%day, "h")
	case hours < 2*year:
		return ageUnits(hours/day, "d", 0, "")
	case hours < 8*year:
		return ageUnits(hours/year, "y", hours%year/day, "d")
	default:
		return ageUnits(hours/year, "y", 0, "")
	}
}

// ageUnits prints a number of ageUnits, followed by a number of smaller ageUnits unless that is 0.
func ageUnits(n int64, unit string, rest int64, of string) string {
	text := strconv.AppendInt(make([]byte, 0, 8), n, 10)
	text = append(text, unit...)
	if rest != 0 {
		text = append(strconv.AppendInt(text, rest, 10), of...)
	}
	return string(text)
}
