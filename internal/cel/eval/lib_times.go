package eval

import (
	"time"

	"github.com/crdkit/crdkit/internal/cel/lib/clock"
)

// zoneBytes is the number of bytes whose visit is as much work as finding a time zone, for which files are read: up to
// a quarter of a millisecond for a zone that does not exist.
const zoneBytes = 1 << 18

// calendar has the functions of parts of timestamps and durations (CEN-021, CLI-070).
func calendar() []*Function {
	return []*Function{
		partOfTime("getFullYear", clock.FullYear, "year", "year_with_tz"),
		partOfTime("getMonth", clock.Month, "month", "month_with_tz"),
		partOfTime("getDayOfYear", clock.DayOfYear, "day_of_year", "day_of_year_with_tz"),
		partOfTime("getDayOfMonth", clock.DayOfMonth, "day_of_month", "day_of_month_with_tz"),
		partOfTime("getDate", clock.Date, "day_of_month_1_based", "day_of_month_1_based_with_tz"),
		partOfTime("getDayOfWeek", clock.DayOfWeek, "day_of_week", "day_of_week_with_tz"),
		partOfTime("getHours", clock.Hours, "hours", "hours_with_tz"),
		partOfTime("getMinutes", clock.Minutes, "minutes", "minutes_with_tz"),
		partOfTime("getSeconds", clock.Seconds, "seconds", "seconds_tz"), // the only id with a zone that is spelled differently
		partOfTime("getMilliseconds", clock.Milliseconds, "milliseconds", "milliseconds_with_tz"),
	}
}

// partOfTime declares the function that returns a part of a timestamp and, if it has the part, of a duration.
func partOfTime(name string, part *clock.Part, id, zoned string) *Function {
	f := fn(name,
		method("timestamp_to_"+id, intType, timestampType).does(func(_ *frame, a []value) value {
			return integer(part.Of(a[0].ref.(time.Time), time.UTC))
		}),
		method("timestamp_to_"+zoned, intType, timestampType, stringType).does(func(f *frame, a []value) value {
			if !f.zones.Knows(a[1].str()) {
				f.visits(zoneBytes + readBytes*len(a[1].str()))
			}
			zone, err := f.zones.Load(a[1].str())
			if err != nil {
				return failureOf(err)
			}
			return integer(part.Of(a[0].ref.(time.Time), zone))
		}))
	if part.InDurations() {
		f.Overloads = append(f.Overloads, method("duration_to_"+id, intType, durationType).does(func(_ *frame, a []value) value {
			return integer(part.OfDuration(a[0].duration()))
		}))
	}
	return f
}
