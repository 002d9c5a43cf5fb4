package age

import (
	"strconv"
	"time"
)

// Invalid is the age of a time that is no time, or in the future.
const Invalid = "<invalid>"

// Text prints a duration with one unit, or with two where one would be too imprecise. It tolerates clocks that are a
// second late.
//
// Clauses: TAB-022.
func Text(d time.Duration) string {
	const day, year = 24, 365 * 24 // in hours
	seconds, minutes, hours := int64(d/time.Second), int64(d/time.Minute), int64(d/time.Hour)
	switch {
	case seconds < -1:
		return Invalid
	case seconds < 0:
		return "0s"
	case seconds < 120:
		return units(seconds, "s", 0, "")
	case minutes < 10:
		return units(minutes, "m", seconds%60, "s")
	case minutes < 180:
		return units(minutes, "m", 0, "")
	case hours < 8:
		return units(hours, "h", minutes%60, "m")
	case hours < 2*day:
		return units(hours, "h", 0, "")
	case hours < 8*day:
		return units(hours/day, "d", hours%day, "h")
	case hours < 2*year:
		return units(hours/day, "d", 0, "")
	case hours < 8*year:
		return units(hours/year, "y", hours%year/day, "d")
	default:
		return units(hours/year, "y", 0, "")
	}
}

// units prints a number of units, followed by a number of smaller units unless that is 0.
func units(n int64, unit string, rest int64, of string) string {
	text := strconv.AppendInt(make([]byte, 0, 8), n, 10)
	text = append(text, unit...)
	if rest != 0 {
		text = append(strconv.AppendInt(text, rest, 10), of...)
	}
	return string(text)
}
