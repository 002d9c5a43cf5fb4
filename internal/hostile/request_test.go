package hostile

// requestRows are requests: patches, scales, conversions, selectors, JSONPaths.
var requestRows = []row{}
