package eval

import (
	"time"

	"github.com/crdkit/crdkit/cel/internal/clock"
)

// zoneBytes is how many bytes are as much work to look at as a time zone is to find, for which files are read.
const zoneBytes = 1 << 16

// calendar has the accessors of times and durations (CLI-070).
func calendar() map[string]binding {
	all := make(map[string]binding)
	for function, id := range map[string]string{
		"getFullYear": "year", "getMonth": "month", "getDayOfYear": "day_of_year", "getDayOfMonth": "day_of_month",
		"getDate": "day_of_month_1_based", "getDayOfWeek": "day_of_week", "getHours": "hours", "getMinutes": "minutes",
		"getSeconds": "seconds", "getMilliseconds": "milliseconds",
	} {
		part, _ := clock.PartOf(function)
		zoned := "timestamp_to_" + id + "_with_tz"
		if id == "seconds" {
			zoned = "timestamp_to_seconds_tz"
		}
		all["timestamp_to_"+id] = func(_ *frame, a []value) value { return integer(part.Of(a[0].ref.(time.Time), time.UTC)) }
		all[zoned] = func(f *frame, a []value) value {
			if !f.zones.Knows(a[1].str()) {
				f.visits(zoneBytes + readBytes*len(a[1].str()))
			}
			zone, err := f.zones.Load(a[1].str())
			if err != nil {
				return failureOf(err)
			}
			return integer(part.Of(a[0].ref.(time.Time), zone))
		}
		all["duration_to_"+id] = func(_ *frame, a []value) value { return integer(part.OfDuration(a[0].duration())) }
	}
	return all
}
