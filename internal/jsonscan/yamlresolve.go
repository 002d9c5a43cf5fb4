package jsonscan

// A meaning is the type of a plain scalar.
type meaning uint8

const (
	textMeaning meaning = iota
	null
	yes
	no
	integer  // plain and decimal, of at most 18 digits
	doubtful // a float, a time, another integer, or a text that looks like one
)

// resolveScalar returns the type of a plain scalar on one line.
func resolveScalar(scalar []byte) meaning {
	if len(scalar) == 0 {
		return null
	}
	switch c := scalar[0]; {
	case c == '+' || c == '-' || c >= '0' && c <= '9':
		return numberMeaning(scalar)
	case c == '.':
		// A float has a digit after the point.
		if len(scalar) > 1 && scalar[1] >= '0' && scalar[1] <= '9' {
			return doubtful
		}
	}
	if len(scalar) > len("false") {
		return textMeaning
	}
	switch string(scalar) {
	case ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN":
		return doubtful
	case "~", "null", "Null", "NULL":
		return null
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y":
		return yes
	case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N":
		return no
	}
	return textMeaning
}

// numberMeaning returns the type of a scalar that begins with a digit or a sign.
func numberMeaning(scalar []byte) meaning {
	minus := scalar[0] == '-'
	if minus {
		scalar = scalar[1:]
	}
	digits := 0 // at the beginning
	for digits < len(scalar) && scalar[digits] >= '0' && scalar[digits] <= '9' {
		digits++
	}
	switch {
	case digits == 0 && minus && len(scalar) > 0 && (scalar[0] == '-' || scalar[0]|0x20 >= 'a' && scalar[0]|0x20 <= 'z'):
		return textMeaning // a command-line option
	case digits == 0, digits > 18, scalar[0] == '0' && digits > 1:
		return doubtful
	case scalar[0] == '0' && minus:
		return doubtful
	case digits == len(scalar):
		return integer
	}
	points := 0
	for _, c := range scalar {
		switch {
		case c == '.':
			points++
		case c == '-' || c == '_' || c == ':':
			return doubtful // perhaps a time
		case c >= '0' && c <= '9', c == '+', c|0x20 == 'e':
		case scalar[0] == '0' && (c|0x20 >= 'a' && c|0x20 <= 'f' || c|0x20 == 'x' || c|0x20 == 'o'): // may be a number
		default:
			return textMeaning
		}
	}
	if points > 1 {
		return textMeaning
	}
	return doubtful
}
