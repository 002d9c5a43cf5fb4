package hostile

// errorRows are objects and definitions with many or long errors.
var errorRows = []row{}
