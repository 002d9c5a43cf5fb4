package since

import "fmt"

// A Minor is a minor version of Kubernetes 1. The zero value is Newest.
type Minor int

// The minor versions that the table is about.
const (
	Oldest Minor = 25
	Newest Minor = 37 // the newest that is released, which this module follows
	Last   Minor = 38 // the newest of all: after Newest, a prerelease
)

// Prerelease is the version that Last is about, if it is not released.
const Prerelease = "1.38.0-beta.0"

// A Server is a server of a minor version. Exported functions have a parameter of this type if they are only for this
// module: other modules cannot name it.
type Server struct{ Minor Minor }

// String returns the version, such as 1.31.
func (m Minor) String() string {
	if m == 0 {
		m = Newest
	}
	return fmt.Sprintf("1.%d", int(m))
}

// An Area says what a fact is about.
type Area int

// The areas, in the order of the docs.
const (
	Function Area = iota // functions, macros and syntax of rules
	Field                // fields of a definition
	Estimate             // estimated costs of rules
	Object               // checks of custom objects
	Text                 // texts of errors
	Metadata             // checks of metadata, and their texts
	Warning              // texts of warnings
)

// A Fact is one row of the table: something that a minor version added.
type Fact int

// The facts. Always is true in all versions.
const (
	Always Fact = iota

	CrossTypeComparison
	OptionalValues
	Quantities
	StringFormat
	Sets
	Addresses
	NamedFormats
	KeywordFields
	OptionalLists
	TwoVariables
	SemanticVersions
	ListExtension
	ListIncludes
	EscapedNames
	LiteralArguments
	FormatLiterals
	StrictLiterals
	SurrogateEscapes
	OptionalType
	Authorizers
	AuthorizerErrors
	AuthorizerSelectors
	GlobalMatches
	TypeArguments

	MessageExpression
	ReasonAndFieldPath
	OptionalOldSelf
	OptionalOldSelfKept
	SelectableFields
	SelectableFieldsKept

	EnumLength
	LoopResultSize
	PresenceCost
	QuantityCost
	AccessorCost
	OpaqueEquality
	LoopVariables
	IntOrStringLength
	ImpliedNameLength
	MatchesCost
	PresenceSize
	NestedSizes
	TypeSize
	SelectionCost
	URLPartSize

	Ratcheting
	StatusRatcheting
	ShortNameFormats
	NumberFormats
	SizeErrorTypes
	NearIntegers
	StandardBytes
	UnorderedNaN
	FaultyOperands
	FreeErrors
	LongQuantities

	StatusPaths
	ByteCounts
	SingularCounts
	JSONValues
	RuleValues
	BareRequired

	OwnerTexts
	LabelKeys
	OwnerPaths
	Operations
	NegativeGeneration
	DistinctMetadata
	DeclaredMetadata
	ClearedGeneration
	PlainKeys

	FinalizerPaths
	FormatWarnings
	OtherFormatWarnings
	SetWarnings

	facts
)

type row struct {
	area  Area
	minor Minor
	until Minor // the first that no longer has it; 0: none
	name  string
	text  string
}

// table has the facts. The minor of a function is the first in which a new rule may call it: usually one later than
// that of the library that has it.
var table = [facts]row{
	CrossTypeComparison: {Function, 29, 0, "comparison of numbers of different types", "`<`, `<=`, `>` and `>=` between int, uint and double"},
	OptionalValues:      {Function, 29, 0, "optional values", "`a.?b`, `a[?b]`, `optional.of`, `optional.none`, `optional.ofNonZeroValue`, `hasValue`, `value`, `or`, `orValue`, `optMap`, `optFlatMap`"},
	Quantities:          {Function, 29, 0, "quantities", "`quantity`, `isQuantity` and the methods of quantities"},
	StringFormat:        {Function, 30, 0, "strings, version 2", "`format`, `strings.quote`"},
	Sets:                {Function, 30, 0, "sets", "`sets.contains`, `sets.equivalent`, `sets.intersects`"},
	Addresses:           {Function, 31, 0, "IP addresses and CIDRs", "`ip`, `isIP`, `ip.isCanonical`, `cidr`, `isCIDR` and their methods, and the types `net.IP` and `net.CIDR`"},
	NamedFormats:        {Function, 32, 0, "named formats", "`format.named`, `format.dns1123Label` and the others, `validate`"},
	EscapedNames:        {Function, 37, 0, "names in backticks", "`` self.`a__dash__b` ``; `self.a__dash__b` works everywhere"},
	LiteralArguments:    {Function, 30, 0, "checks of literals", "refuses literals that `duration`, `timestamp` and the function `matches` cannot take"},
	FormatLiterals:      {Function, 31, 0, "checks of format", "refuses clauses of `format` that do not go with their arguments"},
	KeywordFields:       {Function, 32, 0, "keywords as names of fields", "`self.namespace`, `self.if`; `self.__namespace__` works everywhere"},
	OptionalLists:       {Function, 33, 0, "optional values and lists", "`first`, `last`, `optional.unwrap`, `unwrapOpt`"},
	TwoVariables:        {Function, 33, 0, "macros with two variables", "`all`, `exists`, `existsOne` with an index or a key, `transformList`, `transformMap`, `transformMapEntry`"},
	SemanticVersions:    {Function, 34, 0, "semantic versions", "`semver`, `isSemver` and the methods of versions"},
	ListExtension:       {Function, 35, 0, "lists, version 3", "`slice`, `flatten`, `distinct`, `sort`, `sortBy`, `reverse`, `lists.range`"},
	ListIncludes:        {Function, 38, 0, "lists of Kubernetes, version 1", "`includes`; 1.37 accepts it in stored rules only"},

	StrictLiterals:      {Function, 29, 0, "literals of one type", "refuses lists and maps of literals of which some parts are dyn and some are not"},
	SurrogateEscapes:    {Function, 33, 0, "checks of escapes", "refuses escapes of surrogates in strings, such as `'\\ud800'`"},
	OptionalType:        {Function, 31, 0, "the type optional_type", "`optional_type` as a value"},
	Authorizers:         {Function, 27, 0, "authorizers", "`path`, `group`, `serviceAccount`, `check` and others; a rule has no authorizer to call them on"},
	AuthorizerErrors:    {Function, 28, 0, "errors of authorizers", "`errored` and `error`"},
	GlobalMatches:       {Function, 28, 0, "the function matches", "`matches(self, 'a')`; `self.matches('a')` works everywhere"},
	TypeArguments:       {Function, 38, 0, "types as values", "refuses comparisons of the type of an empty list, an empty map or an empty optional value with another type, such as `type([]) == int`"},
	AuthorizerSelectors: {Function, 32, 0, "selectors of authorizers", "`fieldSelector` and `labelSelector`"},

	MessageExpression:    {Field, 27, 0, "messageExpression", "of a rule"},
	ReasonAndFieldPath:   {Field, 28, 0, "reason and fieldPath", "of a rule"},
	OptionalOldSelf:      {Field, 29, 0, "optionalOldSelf", "of a rule"},
	OptionalOldSelfKept:  {Field, 30, 0, "optionalOldSelf by default", "1.29 knows it, and drops it since its gate is off"},
	SelectableFields:     {Field, 30, 0, "selectableFields", "of a version"},
	SelectableFieldsKept: {Field, 31, 0, "selectableFields by default", "1.30 knows them, and drops them since their gate is off"},

	EnumLength:        {Estimate, 29, 0, "lengths of enums", "a string with `enum` is as long as its longest value"},
	LoopResultSize:    {Estimate, 30, 0, "sizes of what loops return", "the result of `map` and `filter` is as long as its range"},
	PresenceCost:      {Estimate, 28, 29, "cost of has", "`has` costs 1; before and since it is free"},
	QuantityCost:      {Estimate, 30, 0, "costs of quantities", "`quantity` and `isQuantity` cost by the length of their argument, and no longer 1"},
	AccessorCost:      {Estimate, 31, 0, "costs of accessors", "parts of a URL cost 1"},
	OpaqueEquality:    {Estimate, 32, 0, "equality of Kubernetes types", "`==` of IP addresses, CIDRs and quantities costs 1, where it had no bound"},
	LoopVariables:     {Estimate, 33, 0, "sizes of variables", "what a loop, `optMap` or `dyn` gives has the size of what it is about, and an item of a literal no longer that of `self`"},
	IntOrStringLength: {Estimate, 34, 0, "lengths of int-or-string", "`maxLength` of an int-or-string counts"},
	ImpliedNameLength: {Estimate, 37, 0, "lengths of metadata.name", "name and generateName have their limit without `maxLength`"},
	MatchesCost:       {Estimate, 37, 0, "cost of matches", "`matches(a, b)` costs as much as `a.matches(b)`, and no longer 1"},
	PresenceSize:      {Estimate, 38, 0, "size of has", "`has(a.b)` is as large as `a.b`, so that `has(a.b) == has(a.c)` costs as much as a comparison of the two values; `!has(a.b) == !has(a.c)` does not"},
	NestedSizes:       {Estimate, 38, 0, "sizes of items", "lists in lists and maps have the sizes of their items; an item of what a function returns has no bound, such as `self.split('@')[0]`, where it had the size of `self`"},
	TypeSize:          {Estimate, 38, 0, "size of types", "`type(a)` has the size 1, where it had no bound"},
	SelectionCost:     {Estimate, 38, 0, "cost of selections", "a field of a value of any type costs 1, too"},
	URLPartSize:       {Estimate, 38, 0, "sizes of parts of URLs", "a part of a URL is as long as the URL, the escaped path three times as long; they had no bound"},

	Ratcheting:       {Object, 30, 0, "ratcheting", "an update may keep what was invalid before, if it leaves it alone"},
	StatusRatcheting: {Object, 33, 0, "ratcheting of status", "so may an update of the status"},
	ShortNameFormats: {Object, 35, 0, "formats k8s-short-name and k8s-long-name", "strings must be of the format"},
	NumberFormats:    {Object, 36, 0, "formats int32, int64, float and double", "numbers must be in the range of the format"},
	SizeErrorTypes:   {Object, 38, 0, "types of errors", "`minItems` and `minProperties` give FieldValueTooFew, `minLength` FieldValueTooShort, where all gave FieldValueInvalid"},
	NearIntegers:     {Object, 37, 0, "numbers near integers", "a number that differs from an integer by less than a billionth of it is one, too, if it is below it, or negative"},
	StandardBytes:    {Object, 38, 0, "format byte in rules", "a value is standard base64, with `+` and `/`, where rules read it as base64url, with `-` and `_`"},
	LongQuantities:   {Object, 38, 0, "quantities of many digits", "a quantity of 19 digits that fits an int64 is an integer, too, and one of more than 29 digits is rounded"},
	FaultyOperands:   {Object, 38, 0, "errors in lists", "`distinct` and `sort` of an error are that error, where they were an internal error"},
	FreeErrors:       {Object, 38, 0, "costs around errors", "an operation with an operand that is an error costs nothing, except for `!`, `==` and `!=`, and later operands are not evaluated"},
	UnorderedNaN:     {Object, 38, 0, "comparisons with NaN", "`<`, `<=`, `>` and `>=` are false, where they were an error"},

	StatusPaths:    {Text, 31, 0, "paths in the status", "errors in an update of the status name `status.size`, and no longer `size`"},
	ByteCounts:     {Text, 32, 0, "too long", "`may not be more than 5 bytes`, where it was `may not be longer than 5`, and in metadata `must have at most 5 bytes`"},
	SingularCounts: {Text, 34, 0, "counts of one", "`1 byte` and `1 item`, where it was `1 bytes` and `1 items`"},
	JSONValues:     {Text, 34, 0, "values", "lists and objects are JSON, and a missing value is `null`; they were Go syntax and `\"null\"`"},
	BareRequired:   {Text, 34, 0, "missing types", "`Required value` for the apiVersion and the kind of an embedded resource, without `must not be empty`"},
	RuleValues:     {Text, 35, 0, "values of failed rules", "the value, none for lists and objects, where it was the type: `\"string\"`"},

	OwnerTexts:         {Metadata, 34, 0, "texts of owner references", "`must not be empty` for kind, name and uid, without the name of the field"},
	LabelKeys:          {Metadata, 35, 0, "texts of labels", "`a valid label key` and `63 bytes`, where it was `a qualified name` and `63 characters`; keys of annotations and finalizers, too"},
	OwnerPaths:         {Metadata, 37, 0, "errors of owner references", "the path has the index, and an empty field is FieldValueRequired, where it was FieldValueInvalid"},
	Operations:         {Metadata, 37, 0, "operations of managedFields", "a missing one is FieldValueRequired, an unknown one FieldValueNotSupported, where both were FieldValueInvalid"},
	NegativeGeneration: {Metadata, 37, 0, "negative generations", "are refused in updates, too"},
	DeclaredMetadata:   {Metadata, 38, 0, "declared checks", "`Required value` for empty fields of owner references and managedFields, without `must not be empty`; changes of uid and of times show `null`"},
	ClearedGeneration:  {Metadata, 38, 0, "cleared generations", "`field cannot be cleared once set`, where it was `must not be decremented`"},
	PlainKeys:          {Metadata, 38, 0, "keys in managedFields", "items of sets and keys of list maps are JSON without escapes of `<`, `>` and `&`, and numbers are `1e-7`, where they were `1e-07`"},
	DistinctMetadata:   {Metadata, 37, 0, "repeated errors", "the same error of two members is reported once"},

	FinalizerPaths: {Warning, 32, 0, "finalizers with a dot", "`prefer a domain-qualified finalizer name including a path (/)`; the last words are new"},

	FormatWarnings:      {Warning, 34, 0, "formats of definitions", "`unrecognized format` for formats of strings"},
	OtherFormatWarnings: {Warning, 36, 0, "formats of other types", "and for formats of other types, and of schemas without a type"},
	SetWarnings:         {Warning, 37, 0, "sets", "`x-kubernetes-list-type: set` of lists or objects"},
}

// Minor returns the first minor version that has f.
func (f Fact) Minor() Minor { return table[f].minor }

// Name returns the name of f in notes.
func (f Fact) Name() string { return table[f].name }

// Text returns a description of f in Markdown.
func (f Fact) Text() string { return table[f].text }

// In reports whether m has f.
func (f Fact) In(m Minor) bool {
	if m == 0 {
		m = Newest
	}
	return table[f].minor <= m && (table[f].until == 0 || m < table[f].until)
}

// Until returns the first minor version that no longer has f, or 0.
func (f Fact) Until() Minor { return table[f].until }

// Of returns the facts of an area, in the order of the table.
func Of(a Area) []Fact {
	var of []Fact
	for f := Always + 1; f < facts; f++ {
		if table[f].area == a {
			of = append(of, f)
		}
	}
	return of
}
