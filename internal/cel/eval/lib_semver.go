package eval

import "strings"

// versions are the functions of semantic versions, with those that normalise (CEN-032, CLI-050 to CLI-052).
func versions() []*Function {
	return []*Function{
		fn("semver",
			global("string_to_semver", semverType, stringType).does(parseVersion),
			global("string_bool_to_semver", semverType, stringType, boolType).does(parseVersion)).costing(scanning).is(once),
		fn("isSemver",
			global("is_semver_string", boolType, stringType).does(isVersion),
			global("is_semver_string_bool", boolType, stringType, boolType).does(isVersion)).costing(scanning).is(once),
		fn("major", method("semver_major", intType, semverType).does(call1(goValue[version], version.major, asInt))),
		fn("minor", method("semver_minor", intType, semverType).does(call1(goValue[version], version.minor, asInt))),
		fn("patch", method("semver_patch", intType, semverType).does(call1(goValue[version], version.patch, asInt))),
		fn("isLessThan", method("semver_is_less_than", boolType, semverType, semverType).does(ofVersions(below))),
		fn("isGreaterThan", method("semver_is_greater_than", boolType, semverType, semverType).does(ofVersions(above))),
		fn("compareTo", method("semver_compare_to", intType, semverType, semverType).does(ofVersions(sign))),
	}
}

func parseVersion(f *frame, a []value) value {
	f.visitVersion(a[0].str())
	v, err := parseSemver(a[0].str(), normalizes(a))
	return result(f, v, err, asVersion)
}

func isVersion(f *frame, a []value) value {
	f.visitVersion(a[0].str())
	_, err := parseSemver(a[0].str(), normalizes(a))
	return boolean(err == nil)
}

// normalizes returns the value of the second argument, or false if it is missing.
func normalizes(a []value) bool { return len(a) > 1 && a[1].isTrue() }

// ofVersions returns a binding that compares two versions.
//
//go:noinline
func ofVersions(use func(c int) value) binding {
	return func(f *frame, a []value) value {
		v, w := a[0].ref.(version), a[1].ref.(version)
		f.visits(stepBytes * min(v.identifiers(), w.identifiers()))
		return use(v.compare(w))
	}
}

func asVersion(_ *frame, v version) value { return value{kind: kindSemver, ref: v} }

// visitVersion counts the work of parsing a version.
func (f *frame) visitVersion(s string) {
	f.visits(4 * len(s))
	if n := strings.Count(s, "."); n > maxKept {
		f.makes(n * 4 * textBytes)
	}
}
