package gen

import "strings"

// A production is a way to write an expression of a type; see writer.fill for templates.
type production struct{ result, template string }

// parameters are the types that some parameters of templates can have: C can be ordered, N and M are numbers, K can be
// a key. Others can have any type.
var parameters = map[string][]string{
	"C": {"int", "string", "double", "uint", "bool", "bytes", "timestamp", "duration"},
	"N": {"int", "double", "uint"},
	"M": {"int", "double", "uint"},
	"S": {"int", "double", "uint", "duration"},
	"K": {"string", "int", "string", "bool", "uint", "string"},
}

var productions = parsed(`
bool: («bool» && «bool») | («bool» || «bool») | (!«bool») | («bool» ? «bool» : «bool») | («bool» && «bool»)
bool: («A» == «A») | («A» != «A») | («A» == «A») | («C» < «C») | («C» <= «C») | («C» > «C») | («C» >= «C») | («N» < «M») | («N» >= «M»)
bool: («A» in «list(A)») | («K» in «map(K,A)») | («string» in «map(string,A)») | (!(«A» in «list(A)»))
bool: «has» | «has» | «has» | «has»
bool: «string».contains(«string») | «string».startsWith(«string») | «string».endsWith(«string») | «string».matches(«~regex») | matches(«string», «~regex»)
bool: «list(A)».all(«@A», «bool») | «list(A)».exists(«@A», «bool») | «list(A)».exists_one(«@A», «bool») | «map(K,A)».all(«@K», «bool») | «map(K,A)».exists(«@K», «bool»)
bool: «list(A)».all(«@A», «bool») | «list(A)».exists(«@A», «bool») | «map(string,A)».exists_one(«@string», «bool»)
bool: «list(A)».all(«@int», «@A», «bool») | «list(A)».exists(«@int», «@A», «bool») | «list(A)».existsOne(«@int», «@A», «bool») | «list(A)».exists_one(«@int», «@A», «bool»)
bool: «map(string,A)».all(«@string», «@A», «bool») | «map(string,A)».exists(«@string», «@A», «bool») | «map(string,A)».existsOne(«@string», «@A», «bool»)
bool: «list(C)».isSorted() | sets.contains(«list(A)», «list(A)») | sets.equivalent(«list(A)», «list(A)») | sets.intersects(«list(A)», «list(A)»)
bool: isIP(«~ip») | isCIDR(«~cidr») | isURL(«~url») | isQuantity(«~quantity») | isSemver(«~semver») | isSemver(«~semver», «bool») | ip.isCanonical(«~ip»)
bool: «ip».isUnspecified() | «ip».isLoopback() | «ip».isLinkLocalMulticast() | «ip».isLinkLocalUnicast() | «ip».isGlobalUnicast()
bool: «cidr».containsIP(«~ip») | «cidr».containsIP(«ip») | «cidr».containsCIDR(«~cidr») | «cidr».containsCIDR(«cidr»)
bool: «quantity».isInteger() | «quantity».isLessThan(«quantity») | «quantity».isGreaterThan(«quantity») | («quantity» == «quantity») | («quantity» != «quantity»)
bool: «semver».isLessThan(«semver») | «semver».isGreaterThan(«semver») | («semver» == «semver») | («ip» == «ip») | («cidr» == «cidr») | («url» == «url») | («format» == «format»)
bool: bool(«~bool») | bool(«bool») | «optional(A)».hasValue() | «optional(bool)».orValue(«bool») | «optional(bool)».value() | «list(bool)».max() | «list(bool)».min()
bool: (type(«A») == type(«B»)) | (type(«A») == «type») | («A» == dyn(«B»)) | (dyn(«A») == «B») | (dyn(«A») in «list(B)») | («null» == dyn(«A»)) | (dyn(«A») < «C») | (dyn(«A») != «B»)
bool: «list(A)».includes(«A») | dyn(«A»).includes(«B») | («timestamp» == null) | («duration» != null) | («optional(A)» == «optional(A)»)
bool: «list(bool)»[«index»] | «map(K,bool)»[«K»] | [«bool», «bool»][«index»] | {«K»: «bool»}[«K»] | dyn(«A») == dyn(«A») | («list(A)» == «list(A)») | («map(K,A)» == «map(K,A)»)
bool: («list(A)».size() > 0 && «bool») | «format».validate(«~dns»).hasValue() | (!«format».validate(«string»).hasValue()) | format.named(«~named»).hasValue()
int: («int» + «int») | («int» - «int») | («int» * «int») | («int» / «int») | («int» % «int») | (-«int») | («bool» ? «int» : «int»)
int: size(«string») | «string».size() | size(«bytes») | size(«list(A)») | «list(A)».size() | size(«map(K,A)») | «map(K,A)».size() | size(dyn(«A»))
int: int(«double») | int(«~int») | int(«uint») | int(«timestamp») | int(«duration») | int(«int») | «string».indexOf(«string») | «string».lastIndexOf(«string»)
int: «string».indexOf(«string», «int») | «string».lastIndexOf(«string», «int») | «list(A)».indexOf(«A») | «list(A)».lastIndexOf(«A») | «list(int)».sum() | «list(int)».min() | «list(int)».max()
int: «timestamp».getFullYear() | «timestamp».getMonth() | «timestamp».getDate() | «timestamp».getDayOfMonth() | «timestamp».getDayOfWeek() | «timestamp».getDayOfYear() | «timestamp».getHours()
int: «timestamp».getMinutes() | «timestamp».getSeconds() | «timestamp».getMilliseconds() | «duration».getHours() | «duration».getMinutes() | «duration».getSeconds() | «duration».getMilliseconds()
int: «timestamp».getFullYear(«~zone») | «timestamp».getMonth(«~zone») | «timestamp».getDate(«~zone») | «timestamp».getDayOfMonth(«~zone») | «timestamp».getDayOfWeek(«~zone»)
int: «timestamp».getDayOfYear(«~zone») | «timestamp».getHours(«~zone») | «timestamp».getMinutes(«~zone») | «timestamp».getSeconds(«~zone») | «timestamp».getMilliseconds(«~zone»)
int: sign(«quantity») | «quantity».asInteger() | «quantity».compareTo(«quantity») | «semver».major() | «semver».minor() | «semver».patch() | «semver».compareTo(«semver») | «ip».family() | «cidr».prefixLength()
int: «list(int)»[«index»] | «map(K,int)»[«K»] | «optional(int)».orValue(«int») | «optional(int)».value() | «cidr».ip().family()
uint: («uint» + «uint») | («uint» - «uint») | («uint» * «uint») | («uint» / «uint») | («uint» % «uint») | uint(«int») | uint(«double») | uint(«~int») | uint(«uint») | «list(uint)».sum() | «list(uint)».max() | «list(uint)».min()
double: («double» + «double») | («double» - «double») | («double» * «double») | («double» / «double») | (-«double») | double(«int») | double(«uint») | double(«~double») | double(«double») | («bool» ? «double» : «double»)
double: «quantity».asApproximateFloat() | «list(double)».sum() | «list(double)».max() | «list(double)».min() | «list(double)»[«index»] | «optional(double)».orValue(«double»)
string: («string» + «string») | («bool» ? «string» : «string») | «string».charAt(«index») | «string».lowerAscii() | «string».upperAscii() | «string».trim() | «string».replace(«string», «string»)
string: «string».replace(«string», «string», «int») | «string».substring(«index») | «string».substring(«index», «index») | «string».substring(0, «index») | «list(string)».join() | «list(string)».join(«string») | «formatted» | «formatted» | strings.quote(«string»)
string: string(«int») | string(«uint») | string(«double») | string(«bool») | string(«bytes») | string(«timestamp») | string(«duration») | string(«string») | string(«ip») | string(«cidr»)
string: «string».find(«~regex») | «url».getScheme() | «url».getHost() | «url».getHostname() | «url».getPort() | «url».getEscapedPath() | «list(string)».max() | «list(string)».min()
string: «list(string)»[«index»] | «map(K,string)»[«K»] | «optional(string)».orValue(«string») | «optional(string)».value() | «format».validate(«string»).value()[0]
bytes: («bytes» + «bytes») | bytes(«string») | bytes(«bytes») | «list(bytes)».max() | («bool» ? «bytes» : «bytes»)
duration: («duration» + «duration») | («duration» - «duration») | («timestamp» - «timestamp») | duration(«~duration») | duration(«duration») | «list(duration)».sum() | «list(duration)».max() | duration(«string»)
timestamp: («timestamp» + «duration») | («duration» + «timestamp») | («timestamp» - «duration») | timestamp(«~timestamp») | timestamp(«int») | timestamp(«timestamp») | «list(timestamp)».min() | timestamp(«string»)
list(A): («list(A)» + «list(A)») | «list(A)».filter(«@A», «bool») | «list(B)».map(«@B», «A») | «list(B)».map(«@B», «bool», «A») | «map(K,B)».map(«@K», «A») | [«A»] | [«A», «A»] | («bool» ? «list(A)» : «list(A)»)
list(A): «list(B)».transformList(«@int», «@B», «A») | «list(B)».transformList(«@int», «@B», «bool», «A») | «map(string,B)».transformList(«@string», «@B», «A») | «map(string,B)».map(«@string», «bool», «A»)
list(A): «list(A)».slice(«index», «index») | «list(A)».slice(0, «index») | «list(list(A))».flatten() | «list(A)».reverse() | «list(A)».distinct() | «list(A)».sortBy(«@A», «C») | optional.unwrap(«list(optional(A))») | «list(optional(A))».unwrapOpt()
list(A): [?«optional(A)»] | [?«optional(A)», «A»] | «list(list(A))»[«index»] | «map(K,list(A))»[«K»] | «optional(list(A))».orValue(«list(A)») | «list(A)».sortBy(«@A», «int»)
list(K): «map(K,A)».filter(«@K», «bool») | «map(K,A)».map(«@K», «K»)
list(C): «list(C)».sort() | «list(C)».sort()
list(int): lists.range(«int») | lists.range(«index») | lists.range(3)
list(string): «string».split(«string») | «string».split(«string», «int») | «string».findAll(«~regex») | «string».findAll(«~regex», «int») | «format».validate(«~dns»).value() | «format».validate(«~dns»).orValue([])
list(dyn): [dyn(«A»), dyn(«B»)] | «list(list(A))».flatten(«index») | «list(list(list(A)))».flatten(2) | [«dyn»]
map(K,A): {«K»: «A»} | {«K»: «A», «K»: «A»} | «map(K,B)».transformMap(«@K», «@B», «A») | «map(K,B)».transformMap(«@K», «@B», «bool», «A») | «map(B,C)».transformMapEntry(«@B», «@C», {«K»: «A»})
map(K,A): {?«K»: «optional(A)»} | («bool» ? «map(K,A)» : «map(K,A)») | «list(B)».transformMapEntry(«@int», «@B», {«K»: «A»}) | «list(B)».transformMapEntry(«@int», «@B», «bool», {«K»: «A»})
map(int,A): «list(B)».transformMap(«@int», «@B», «A») | «list(B)».transformMap(«@int», «@B», «bool», «A»)
map(string,list(string)): «url».getQuery()
optional(A): optional.of(«A») | optional.ofNonZeroValue(«A») | optional.none() | «optional(A)».or(«optional(A)») | «list(A)».first() | «list(A)».last() | «list(A)»[?«index»] | «map(K,A)»[?«K»]
optional(A): «optional(B)».optMap(«@B», «A») | «optional(B)».optFlatMap(«@B», «optional(A)») | optional.of(«list(A)»)[«index»] | optional.of(«list(A)»)[?«index»] | optional.of(«map(K,A)»)[«K»] | («bool» ? «optional(A)» : «optional(A)»)
optional(format): format.named(«~named»)
optional(list(string)): «format».validate(«~dns») | «format».validate(«string»)
ip: ip(«~ip») | ip(«string») | «cidr».ip() | ip(string(«ip»))
cidr: cidr(«~cidr») | «cidr».masked() | cidr(«string»)
quantity: quantity(«~quantity») | «quantity».add(«quantity») | «quantity».sub(«quantity») | «quantity».add(«int») | «quantity».sub(«int») | («bool» ? «quantity» : «quantity»)
url: url(«~url») | url(«string»)
semver: semver(«~semver») | semver(«~semver», «bool»)
format: format.named(«~named»).value() | format.named(«~dns»).orValue(«format»)
type: type(«A») | type(dyn(«A»))
null: null
bool: null.allowed() | (null.path(«string») == null) | (google.protobuf.BoolValue{value: «dyn»} == «bool») | (has(google.protobuf.Int64Value{value: «int»}.value)) | null.errored()
bool: null.check(«string»).allowed() | (null.fieldSelector(«string») == null) | (null.labelSelector(«string») == null) | (null.group(«string») == null) | null.path(«string»).check(«string»).errored()
duration: google.protobuf.Duration{seconds: «int»} | google.protobuf.Duration{seconds: 5, nanos: «=int»} | google.protobuf.Duration{seconds: «dyn»}
timestamp: google.protobuf.Timestamp{seconds: «int»} | google.protobuf.Timestamp{} | google.protobuf.Timestamp{nanos: «dyn»}
list(int): lists.range(1000000)
dyn: google.protobuf.Int64Value{value: «int»} | google.protobuf.StringValue{value: «=string»} | google.protobuf.DoubleValue{value: «double»} | google.protobuf.UInt32Value{value: «uint»} | google.protobuf.Int32Value{value: «int»}
dyn: google.protobuf.Int64Value{value: «dyn»} | google.protobuf.StringValue{value: dyn(«int»)} | google.protobuf.DoubleValue{value: «dyn»} | google.protobuf.UInt32Value{value: «dyn»} | google.protobuf.Int32Value{value: «dyn»}
dyn: google.protobuf.FloatValue{value: «dyn»} | google.protobuf.BytesValue{value: «dyn»} | google.protobuf.BoolValue{value: «bool»} | google.protobuf.Value{string_value: «=string»} | google.protobuf.Value{number_value: «dyn»}
dyn: google.protobuf.Value{string_value: dyn(«list(A)»)} | google.protobuf.Value{bool_value: «dyn»} | google.protobuf.Value{list_value: «dyn»} | google.protobuf.Value{struct_value: «dyn»} | google.protobuf.Value{null_value: «dyn»}
dyn: google.protobuf.ListValue{values: [«A»]} | google.protobuf.Struct{fields: {'a': «A»}} | google.protobuf.Any{} | google.protobuf.Struct{} | google.protobuf.ListValue{values: «dyn»} | google.protobuf.Struct{fields: dyn(«map(K,A)»)}
dyn: dyn(«A») | dyn(«A»).a | dyn(«A»)[«index»] | dyn(«A»)[«string»] | dyn(«map(K,A)»)[«K»] | dyn(«list(A)»)[dyn(«double»)] | (dyn(«A») + dyn(«B»)) | [«A»][0] | dyn(«A») | dyn(«list(A)»).max()
A: «optional(A)».orValue(«A») | «optional(A)».orValue(«A») | «optional(A)».value() | «list(A)»[«index»] | «map(K,A)»[«K»] | («bool» ? «A» : «A»)
`)

func parsed(table string) []production {
	var all []production
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		result, templates, _ := strings.Cut(line, ": ")
		for _, t := range strings.Split(templates, " | ") {
			all = append(all, production{result, t})
		}
	}
	return all
}
