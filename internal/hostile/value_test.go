package hostile

// valueRows are Go values, and objects that defaults multiply.
var valueRows = []row{}
