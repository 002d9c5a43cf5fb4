package hostile

// definitionRows are definitions.
var definitionRows = []row{}
