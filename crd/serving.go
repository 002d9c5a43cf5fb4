package crd

// Answers reports whether a server handles a request for custom objects of d: whether the URL fits the scope, the
// version is served, and one of the conditions [NamesAccepted] and [Established] is true. It answers any other request
// with 404. verb is the verb of the request, such as get. namespaced is whether its URL has a namespace; for namespaced
// objects only list and watch work without one. If two versions have the same name, the first is used.
func (d *CustomResourceDefinition) Answers(version, verb string, namespaced bool) bool {
	switch {
	case d.Spec.Scope != NamespaceScoped:
		if namespaced {
			return false
		}
	case !namespaced && verb != "list" && verb != "watch":
		return false
	}
	v := d.Version(version)
	return v != nil && v.Served && (d.HasCondition(NamesAccepted) || d.HasCondition(Established))
}
