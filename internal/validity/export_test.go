package validity

// For tests outside of the package.
var (
	BranchOK   = branchOK
	CountValid = countValid
	Here       = here
	OKWithin   = okWithin
)
