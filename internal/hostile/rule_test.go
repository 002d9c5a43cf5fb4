package hostile

// ruleRows are rules: work that costs little, and compiling.
var ruleRows = []row{}
