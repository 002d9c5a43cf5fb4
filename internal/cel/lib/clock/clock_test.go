package clock

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// CLI-072, CMS-022.
func TestParseTimestamp(t *testing.T) {
	const bad, overflow = "type conversion error from 'string' to 'google.protobuf.Timestamp'", "timestamp overflow"
	for _, c := range []struct{ s, want, err string }{
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", ""},
		{"2026-01-02T03:04:05.60+01:00", "2026-01-02T03:04:05.6+01:00", ""},
		{"2026-01-02T03:04:05.1234567899Z", "2026-01-02T03:04:05.123456789Z", ""},
		{"2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05Z", ""},
		{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", ""},
		{"0001-01-01T00:00:00+00:01", "", overflow},
		{"0000-12-31T23:00:00-01:00", "0000-12-31T23:00:00-01:00", ""},
		{"0000-01-01T00:00:00Z", "", overflow},
		{"9999-12-31T23:59:59.9Z", "9999-12-31T23:59:59.9Z", ""},
		{"9999-12-31T23:59:59-00:01", "", overflow},
		{"2026-01-02T24:00:00Z", "", bad},
		{"2026-02-29T00:00:00Z", "", bad},
		{"2026-01-02t03:04:05z", "", bad},
		{"2026-01-02T03:04:05", "", bad},
		{"2026-01-02", "", bad},
		{"", "", bad},
	} {
		got, err := ParseTimestamp(c.s)
		if c.err != "" {
			require.EqualError(t, err, c.err, c.s)
			continue
		}
		require.NoError(t, err, c.s)
		require.Equal(t, c.want, string(AppendTimestamp(nil, got)), c.s)
	}
}

// CLI-072.
func TestUnixTimestamp(t *testing.T) {
	for seconds, want := range map[int64]string{
		0: "1970-01-01T00:00:00Z", -62135596800: "0001-01-01T00:00:00Z", 253402300799: "9999-12-31T23:59:59Z",
	} {
		got, err := UnixTimestamp(seconds)
		require.NoError(t, err)
		require.Equal(t, want, string(AppendTimestamp(nil, got)))
	}
	for _, seconds := range []int64{-62135596801, 253402300800, math.MaxInt64, math.MinInt64} {
		_, err := UnixTimestamp(seconds)
		require.EqualError(t, err, "timestamp overflow")
	}
}

// CLI-071, CLI-072, CMS-022.
func TestParseDuration(t *testing.T) {
	for s, want := range map[string]string{
		"1h30m": "5400s", "-1.5s": "-1.5s", "1us": "0.000001s", "0": "0s", "1ns": "0.000000001s", "2562047h47m16.854775807s": "9223372036.854776s",
	} {
		d, err := ParseDuration(s)
		require.NoError(t, err, s)
		require.Equal(t, want, string(AppendDuration(nil, d)), s)
	}
	for _, s := range []string{"", "5", "1 day", "1d", "2562048h"} {
		_, err := ParseDuration(s)
		require.EqualError(t, err, "type conversion error from 'string' to 'google.protobuf.Duration'", s)
	}
}

// CVA-003, CVA-020.
func TestSchemaDuration(t *testing.T) {
	const day, week = 24 * time.Hour, 7 * 24 * time.Hour
	for s, want := range map[string]time.Duration{
		"1h30m": 90 * time.Minute, "-1.5h": -90 * time.Minute, "0": 0, "5μs": 5 * time.Microsecond,
		"1 day": day, "3 weeks": 3 * week, "1h 2m": 62 * time.Minute, "2 Hours, 3 MINUTES": 2*time.Hour + 3*time.Minute,
		"-1 day": day, "1.5 days": 5 * day, "2\n wk": 2 * week, "1d1hr1sec1milli1µs1micro1nano": day + time.Hour + time.Second +
			time.Millisecond + 2*time.Microsecond + 1,
		"7 daylights": 7 * day, "1 fortnight 2d": 2 * day, "x1d": day, "1 m": time.Minute, "12 34h": 34 * time.Hour,
		"30000000 weeks": wrapped(30000000, week),
	} {
		got, err := SchemaDuration(s)
		require.NoError(t, err, s)
		require.Equal(t, want, got, s)
	}
	for s, reason := range map[string]string{
		"": "unable to parse  as duration", "5": "unable to parse 5 as duration", "1 fortnight": "unable to parse 1 fortnight as duration",
		"1 wks": "unable to parse 1 wks as duration", "1\vh": "unable to parse 1\vh as duration",
		"2d 99999999999999999999 x": `strconv.Atoi: parsing "99999999999999999999": value out of range`,
	} {
		_, err := SchemaDuration(s)
		require.EqualError(t, err, "Invalid duration "+s+": "+reason, s)
	}
}

func wrapped(n, unit time.Duration) time.Duration { return n * unit }

// CVA-001, CVA-003, CVA-020.
func TestSchemaTimestamp(t *testing.T) {
	for s, want := range map[string]string{
		"":                               "1970-01-01T00:00:00Z",
		"2026-01-02T03:04:05Z":           "2026-01-02T03:04:05Z",
		"2026-01-02T03:04:05.1+05:30":    "2026-01-02T03:04:05.1+05:30",
		"2026-01-02T03:04:05,12Z":        "2026-01-02T03:04:05.12Z",
		"2026-01-02T03:04:05":            "2026-01-02T03:04:05Z",
		"2026-01-02T03:04:05.5":          "2026-01-02T03:04:05.5Z",
		"0000-01-01T00:00:00Z":           "0000-01-01T00:00:00Z",
		"2026-01-02T03:04:05.+23456Z":    "2026-01-02T03:04:05.023456Z",
		"2026-01-02T03:04:05.1234567891": "2026-01-02T03:04:05.123456789Z",
	} {
		got, err := SchemaTimestamp(s)
		require.NoError(t, err, s)
		require.Equal(t, want, string(AppendTimestamp(nil, got)), s)
	}
	_, err := SchemaTimestamp("2026-01-02t03:04:05Z")
	require.EqualError(t, err, `Invalid date-time formatted string 2026-01-02t03:04:05Z: parsing time "2026-01-02t03:04:05Z" as `+
		`"2006-01-02T15:04:05": cannot parse "t03:04:05Z" as "T"`)
	_, err = SchemaTimestamp("2026-01-02T03:04:05z")
	require.EqualError(t, err, `Invalid date-time formatted string 2026-01-02T03:04:05z: parsing time "2026-01-02T03:04:05z": extra text: "z"`)
}

// CVA-001, CVA-020.
func TestSchemaDate(t *testing.T) {
	got, err := SchemaDate("2024-02-29")
	require.NoError(t, err)
	require.Equal(t, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), got)
	_, err = SchemaDate("2023-02-29")
	require.EqualError(t, err, `Invalid date formatted string 2023-02-29: parsing time "2023-02-29": day out of range`)
	_, err = SchemaDate("")
	require.EqualError(t, err, `Invalid date formatted string : parsing time "" as "2006-01-02": cannot parse "" as "2006"`)
}

// CVA-001, CVA-020.
func TestSchemaBytes(t *testing.T) {
	for s, want := range map[string]string{"": "", "YWJj": "abc", "-_8=": "\xfb\xff", "YW\nJj": "abc"} {
		got, err := SchemaBytes(s)
		require.NoError(t, err, s)
		require.Equal(t, want, string(got), s)
	}
	for s, at := range map[string]string{"+w==": "0", "YQ": "0", "!": "0"} {
		_, err := SchemaBytes(s)
		require.EqualError(t, err, "Invalid byte formatted string "+s+": illegal base64 data at input byte "+at, s)
	}
}

// CVA-034: what is equal as a Go value. It does not depend on the zone of the host.
func TestIdentity(t *testing.T) {
	read := func(s string) time.Time {
		a, err := ParseTimestamp(s)
		require.NoError(t, err)
		b, err := SchemaTimestamp(s)
		require.NoError(t, err)
		if _, offset := a.Zone(); offset%3600 == 0 {
			require.True(t, a == b, s)
		}
		return a
	}
	z := read("2026-01-02T03:04:05Z")
	require.True(t, z == read("2026-01-02T03:04:05Z"))
	require.False(t, z == read("2026-01-02T03:04:05+00:00"))
	identical := func(s string) bool {
		a, b := read(s), read(s)
		return a == b
	}
	require.True(t, identical("2026-01-02T03:04:05+00:00"))
	require.True(t, identical("2026-01-02T03:04:05+01:00"))
	require.False(t, identical("2026-01-02T03:04:05+05:30"))
	sum, err := Add(read("2026-01-02T03:04:04+01:00"), time.Second)
	require.NoError(t, err)
	require.True(t, sum == read("2026-01-02T03:04:05+01:00"))
	unix, err := UnixTimestamp(z.Unix())
	require.NoError(t, err)
	require.True(t, z == unix)
}

// CMS-022.
func TestArithmetic(t *testing.T) {
	const most, least = time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	first, last := time.Unix(firstSecond, 0).UTC(), time.Unix(lastSecond, 999999999).UTC()
	zone := time.FixedZone("", 3600)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, zone)

	for name, c := range map[string]struct {
		got  func() (any, error)
		want any
		err  string
	}{
		"add":                           {func() (any, error) { return Add(at, time.Hour) }, time.Date(2026, 1, 2, 4, 4, 5, 0, zone), ""},
		"add beyond the last second":    {func() (any, error) { return Add(last, 1) }, nil, "timestamp overflow"},
		"add up to the last second":     {func() (any, error) { return Add(last.Add(-1), 1) }, last, ""},
		"subtract":                      {func() (any, error) { return Subtract(at, time.Hour) }, time.Date(2026, 1, 2, 2, 4, 5, 0, zone), ""},
		"subtract before the first":     {func() (any, error) { return Subtract(first, 1) }, nil, "timestamp overflow"},
		"subtract the least":            {func() (any, error) { return Subtract(at, least) }, nil, "integer overflow"},
		"between":                       {func() (any, error) { return Between(at, at.Add(-90*time.Minute)) }, 90 * time.Minute, ""},
		"between is negative":           {func() (any, error) { return Between(at.Add(-1), at) }, time.Duration(-1), ""},
		"between is too much":           {func() (any, error) { return Between(last, first) }, nil, "integer overflow"},
		"between is too little":         {func() (any, error) { return Between(first, last) }, nil, "integer overflow"},
		"between is the most":           {func() (any, error) { return Between(at.Add(most), at) }, most, ""},
		"between is one more":           {func() (any, error) { return Between(at.Add(most).Add(1), at) }, nil, "integer overflow"},
		"between fits, not its seconds": {func() (any, error) { return Between(time.Unix(9223372037, 0), time.Unix(0, 999999999)) }, nil, "integer overflow"},
	} {
		got, err := c.got()
		if c.err != "" {
			require.EqualError(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

// CLI-070.
func TestParts(t *testing.T) {
	at := time.Date(2026, 3, 1, 23, 4, 5, 678e6, time.FixedZone("", -3600)) // 2 March, Monday, in UTC
	for part, want := range map[*Part][2]int64{
		FullYear: {2026, 2026}, Month: {2, 2}, DayOfYear: {60, 59}, DayOfMonth: {1, 0}, Date: {2, 1}, DayOfWeek: {1, 0},
		Hours: {0, 18}, Minutes: {4, 34}, Seconds: {5, 5}, Milliseconds: {678, 678},
	} {
		require.Equal(t, want[0], part.Of(at, time.UTC), part)
		zone, err := Zone("-05:30")
		require.NoError(t, err)
		require.Equal(t, want[1], part.Of(at, zone), part)
	}

	d := -(26*time.Hour + 3*time.Minute + 4*time.Second + 5678*time.Microsecond)
	for part, want := range map[*Part]int64{Hours: -26, Minutes: -1563, Seconds: -93784, Milliseconds: -93784005} {
		require.Equal(t, want, part.OfDuration(d))
	}
	// The fraction of an hour is so nearly one that float64 has no number between.
	require.Equal(t, int64(2562047), Hours.OfDuration(2562047*time.Hour-1))
}

// CLI-070.
func TestZone(t *testing.T) {
	for name, want := range map[string]int{
		"+05:30": 19800, "05:30": 19800, "-02:00": -7200, "99:00": 356400, "+05:61": 21660, "-0:30": -1800, "0:-30": -1800, "-1:-30": -1800,
		"": 0, "UTC": 0, "Local": 0,
	} {
		zone, err := Zone(name)
		require.NoError(t, err, name)
		_, offset := time.Unix(0, 0).In(zone).Zone()
		require.Equal(t, want, offset, name)
	}
	for name, want := range map[string]string{
		"Nowhere/City": "unknown time zone Nowhere/City", ":": `strconv.Atoi: parsing "": invalid syntax`, "a:1": `strconv.Atoi: parsing "a": invalid syntax`,
		"1:b": `strconv.Atoi: parsing "b": invalid syntax`, "1:2:3": `strconv.Atoi: parsing "2:3": invalid syntax`,
		"9223372036854775808:0": `strconv.Atoi: parsing "9223372036854775808": value out of range`, "../x": "time: invalid location name",
	} {
		_, err := Zone(name)
		require.EqualError(t, err, want, name)
	}
}

func TestZones(t *testing.T) {
	var zones Zones
	for range 2 {
		zone, err := zones.Load("Europe/Berlin")
		if err != nil {
			t.Skip("no database of time zones: ", err)
		}
		require.Equal(t, int64(13), Hours.Of(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC), zone))
		require.Equal(t, int64(14), Hours.Of(time.Date(2026, 7, 2, 12, 0, 0, 0, time.UTC), zone))
	}
	_, err := zones.Load("+01:00")
	require.NoError(t, err)
	_, err = zones.Load("Nowhere/City")
	require.Error(t, err)
	require.Len(t, zones.known, 1, "offsets and names of nothing are not remembered")
}

// What a rule reads an object's field reads alike, and what is printed is read back.
func FuzzTimestamp(f *testing.F) {
	for _, s := range []string{"", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456+05:30", "2026-01-02T03:04:05.+23456Z", "0000-01-01T00:00:00-23:59", "2026-01-02"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, _ = SchemaDate(s)
		_, _ = SchemaBytes(s)
		field, fieldErr := SchemaTimestamp(s)
		if rule, err := ParseTimestamp(s); err == nil {
			require.NoError(t, fieldErr)
			require.True(t, rule.Equal(field))
		}
		if fieldErr != nil {
			return
		}
		again, err := SchemaTimestamp(string(AppendTimestamp(nil, field)))
		require.NoError(t, err)
		require.True(t, again.Equal(field))
		for _, part := range []*Part{FullYear, Month, DayOfYear, DayOfMonth, Date, DayOfWeek, Hours, Minutes, Seconds, Milliseconds} {
			require.GreaterOrEqual(t, part.Of(field, time.UTC), int64(-1))
		}
	})
}

func FuzzDuration(f *testing.F) {
	for _, s := range []string{"", "1h30m", "3 weeks 2 d", "-1.5 days", "99999999999999999999h", "1µs", "9223372036854775807 w"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		field, err := SchemaDuration(s)
		if err != nil {
			require.Contains(t, err.Error(), "Invalid duration "+s+": ")
		}
		rule, ruleErr := ParseDuration(s)
		if ruleErr != nil {
			return
		}
		require.NoError(t, err)
		require.Equal(t, rule, field)
		if rule != math.MinInt64 && rule%time.Second == 0 {
			again, err := ParseDuration(string(AppendDuration(nil, rule)))
			require.NoError(t, err)
			require.Equal(t, rule, again)
		}
	})
}

func FuzzZone(f *testing.F) {
	for _, s := range []string{"", "+05:30", "UTC", "9223372036854775807:9223372036854775807", "-:", "Local"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		zone, err := Zone(s)
		require.Equal(t, err == nil, zone != nil)
		if err == nil {
			_ = Hours.Of(time.Unix(0, 0), zone)
		}
	})
}
