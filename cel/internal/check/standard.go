package check

import (
	"github.com/crdkit/crdkit/internal/since"
	"github.com/google/cel-go/common/types"
)

// The functions of the language itself. Operators are functions too, under names that no expression can spell.

// operators are those of CEN-020, without the forms that take optional values (see optionals).
func operators() []function {
	return []function{
		fn("_?_:_", global("conditional", anyA, boolean, anyA, anyA)),
		fn("_&&_", global("logical_and", boolean, boolean, boolean)),
		fn("_||_", global("logical_or", boolean, boolean, boolean)),
		fn("!_", global("logical_not", boolean, boolean)),
		fn("@not_strictly_false", global("not_strictly_false", boolean, boolean)),
		fn("_==_", global("equals", boolean, anyA, anyA)),
		fn("_!=_", global("not_equals", boolean, anyA, anyA)),
		fn("_+_",
			global("add_bytes", octets, octets, octets),
			global("add_double", double, double, double),
			global("add_duration_duration", duration, duration, duration),
			global("add_duration_timestamp", timestamp, duration, timestamp),
			global("add_timestamp_duration", timestamp, timestamp, duration),
			global("add_int64", integer, integer, integer),
			global("add_list", list(anyA), list(anyA), list(anyA)),
			global("add_string", str, str, str),
			global("add_uint64", unsigned, unsigned, unsigned)),
		fn("_-_",
			global("subtract_double", double, double, double),
			global("subtract_duration_duration", duration, duration, duration),
			global("subtract_int64", integer, integer, integer),
			global("subtract_timestamp_duration", timestamp, timestamp, duration),
			global("subtract_timestamp_timestamp", duration, timestamp, timestamp),
			global("subtract_uint64", unsigned, unsigned, unsigned)),
		fn("_*_",
			global("multiply_double", double, double, double),
			global("multiply_int64", integer, integer, integer),
			global("multiply_uint64", unsigned, unsigned, unsigned)),
		fn("_/_",
			global("divide_double", double, double, double),
			global("divide_int64", integer, integer, integer),
			global("divide_uint64", unsigned, unsigned, unsigned)),
		fn("_%_",
			global("modulo_int64", integer, integer, integer),
			global("modulo_uint64", unsigned, unsigned, unsigned)),
		fn("-_",
			global("negate_double", double, double),
			global("negate_int64", integer, integer)),
		ordering("_<_", "less"),
		ordering("_<=_", "less_equals"),
		ordering("_>_", "greater"),
		ordering("_>=_", "greater_equals"),
		fn("_[_]",
			global("index_list", anyA, list(anyA), integer),
			global("index_map", anyB, dict(anyA, anyB), anyA)),
		fn("@in",
			global("in_list", boolean, anyA, list(anyA)),
			global("in_map", boolean, anyA, dict(anyA, anyB))),
	}
}

// ordering declares a relation: any two numbers may be compared, whatever their types (CTY-034), else two values of one type.
func ordering(operator, id string) function {
	return fn(operator,
		global(id+"_bool", boolean, boolean, boolean),
		global(id+"_int64", boolean, integer, integer),
		global(id+"_int64_double", boolean, integer, double).from(since.CrossTypeComparison),
		global(id+"_int64_uint64", boolean, integer, unsigned).from(since.CrossTypeComparison),
		global(id+"_uint64", boolean, unsigned, unsigned),
		global(id+"_uint64_double", boolean, unsigned, double).from(since.CrossTypeComparison),
		global(id+"_uint64_int64", boolean, unsigned, integer).from(since.CrossTypeComparison),
		global(id+"_double", boolean, double, double),
		global(id+"_double_int64", boolean, double, integer).from(since.CrossTypeComparison),
		global(id+"_double_uint64", boolean, double, unsigned).from(since.CrossTypeComparison),
		global(id+"_string", boolean, str, str),
		global(id+"_bytes", boolean, octets, octets),
		global(id+"_timestamp", boolean, timestamp, timestamp),
		global(id+"_duration", boolean, duration, duration))
}

// conversions are the functions of CEN-021 that are named after types.
func conversions() []function {
	return []function{
		fn("type", global("type", types.NewTypeTypeWithParam(anyA), anyA)),
		fn("bool",
			global("bool_to_bool", boolean, boolean),
			global("string_to_bool", boolean, str)),
		fn("bytes",
			global("bytes_to_bytes", octets, octets),
			global("string_to_bytes", octets, str)),
		fn("double",
			global("double_to_double", double, double),
			global("int64_to_double", double, integer),
			global("string_to_double", double, str),
			global("uint64_to_double", double, unsigned)),
		fn("duration",
			global("duration_to_duration", duration, duration),
			global("string_to_duration", duration, str)),
		fn("dyn", global("to_dyn", dyn, anyA)),
		fn("int",
			global("int64_to_int64", integer, integer),
			global("double_to_int64", integer, double),
			global("duration_to_int64", integer, duration),
			global("string_to_int64", integer, str),
			global("timestamp_to_int64", integer, timestamp),
			global("uint64_to_int64", integer, unsigned)),
		fn("string",
			global("string_to_string", str, str),
			global("bool_to_string", str, boolean),
			global("bytes_to_string", str, octets),
			global("double_to_string", str, double),
			global("duration_to_string", str, duration),
			global("int64_to_string", str, integer),
			global("timestamp_to_string", str, timestamp),
			global("uint64_to_string", str, unsigned)),
		fn("timestamp",
			global("timestamp_to_timestamp", timestamp, timestamp),
			global("int64_to_timestamp", timestamp, integer),
			global("string_to_timestamp", timestamp, str)),
		fn("uint",
			global("uint64_to_uint64", unsigned, unsigned),
			global("double_to_uint64", unsigned, double),
			global("int64_to_uint64", unsigned, integer),
			global("string_to_uint64", unsigned, str)),
	}
}

// standardFunctions are the other functions of CEN-021, but for those of the calendar.
func standardFunctions() []function {
	return []function{
		fn("size",
			global("size_bytes", integer, octets),
			method("bytes_size", integer, octets),
			global("size_list", integer, list(anyA)),
			method("list_size", integer, list(anyA)),
			global("size_map", integer, dict(anyA, anyB)),
			method("map_size", integer, dict(anyA, anyB)),
			global("size_string", integer, str),
			method("string_size", integer, str)),
		fn("contains", method("contains_string", boolean, str, str)),
		fn("endsWith", method("ends_with_string", boolean, str, str)),
		fn("startsWith", method("starts_with_string", boolean, str, str)),
		fn("matches",
			global("matches", boolean, str, str),
			method("matches_string", boolean, str, str)),
	}
}

// calendar are the parts of timestamps and durations (CEN-021).
func calendar() []function {
	part := func(name, id string, more ...overload) function {
		return fn(name, append([]overload{
			method(id, integer, timestamp),
			method(id+"_with_tz", integer, timestamp, str),
		}, more...)...)
	}
	return []function{
		part("getFullYear", "timestamp_to_year"),
		part("getMonth", "timestamp_to_month"),
		part("getDayOfYear", "timestamp_to_day_of_year"),
		part("getDayOfMonth", "timestamp_to_day_of_month"),
		part("getDate", "timestamp_to_day_of_month_1_based"),
		part("getDayOfWeek", "timestamp_to_day_of_week"),
		part("getHours", "timestamp_to_hours", method("duration_to_hours", integer, duration)),
		part("getMinutes", "timestamp_to_minutes", method("duration_to_minutes", integer, duration)),
		fn("getSeconds", // the one whose id with a zone is spelled differently
			method("timestamp_to_seconds", integer, timestamp),
			method("timestamp_to_seconds_tz", integer, timestamp, str),
			method("duration_to_seconds", integer, duration)),
		part("getMilliseconds", "timestamp_to_milliseconds", method("duration_to_milliseconds", integer, duration)),
	}
}
