package crd

// Answers reports whether a server takes a request for custom objects of d to be its own: whether the URL fits the scope, the version is
// served, and one of the conditions [NamesAccepted] and [Established] is true. Any other request is a 404. The verb is that of the
// request, such as get; namespaced says that its URL has a namespace, which only list and watch can do without where objects have one.
// Of two versions of one name the first decides.
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
	return v != nil && v.Served && (d.HasCondition(NamesAccepted, ConditionTrue) || d.HasCondition(Established, ConditionTrue))
}
