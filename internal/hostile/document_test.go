package hostile

// documentRows are documents: JSON and YAML texts.
var documentRows = []row{}
