package since

// An Answering is the profile of the server that something answers as. A public type embeds it, so that packages of
// this module can ask for the profile and others do not see it.
type Answering struct{ profile Profile }

func (a *Answering) answering() *Answering { return a }

// ProfileOf returns the profile of the server that of answers as.
func ProfileOf(of interface{ answering() *Answering }) Profile { return of.answering().profile }

// Answer makes of answer as a server with that profile, before anything uses it.
func Answer(of interface{ answering() *Answering }, p Profile) { of.answering().profile = p }
