package unittest

// A Database is a database that the operator runs.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.readyReplicas
// +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=.status.phase
// +kubebuilder:storageversion
type Database struct {
	APIVersion string         `json:"apiVersion,omitempty"`
	Kind       string         `json:"kind,omitempty"`
	Metadata   Metadata       `json:"metadata,omitempty"`
	Spec       DatabaseSpec   `json:"spec"`
	Status     DatabaseStatus `json:"status,omitzero"`
}

// Metadata replaces metav1.ObjectMeta, so that this package does not depend on Kubernetes.
type Metadata struct {
	Name      string            `json:"name,omitempty"`
	Namespace string            `json:"namespace,omitempty"`
	UID       string            `json:"uid,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// A DatabaseSpec is the desired database.
//
// +kubebuilder:validation:XValidation:rule="!has(self.extensions) || self.engine == 'postgres'",message="only postgres
// has extensions"
type DatabaseSpec struct {
	// +kubebuilder:validation:Enum=postgres;mysql
	// +kubebuilder:default=postgres
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the engine cannot be changed"
	Engine string `json:"engine,omitempty"`
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	// +kubebuilder:default=1
	Replicas int32   `json:"replicas,omitempty"`
	Storage  Storage `json:"storage"`
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Users []User `json:"users,omitempty"`
	// +listType=set
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=63
	Extensions []string `json:"extensions,omitempty"`
	// +kubebuilder:validation:MaxProperties=8
	Parameters map[string]string `json:"parameters,omitempty"`
	Backup     *Backup           `json:"backup,omitempty"`
}

// Storage is where the data lie.
//
// +kubebuilder:validation:XValidation:rule="quantity(self.size).compareTo(quantity(oldSelf.size)) >=
// 0",message="storage cannot shrink"
type Storage struct {
	// +kubebuilder:validation:Pattern=`^[1-9][0-9]*(Mi|Gi|Ti)$`
	// +kubebuilder:validation:MaxLength=16
	Size string `json:"size"`
}

// A User may log in to the database.
type User struct {
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// +kubebuilder:validation:Enum=reader;writer;owner
	// +kubebuilder:default=reader
	Role string `json:"role,omitempty"`
}

// A Backup says when the database is saved.
type Backup struct {
	// +kubebuilder:validation:Format=duration
	Every string `json:"every"`
}

// A DatabaseStatus says what became of it.
type DatabaseStatus struct {
	// +kubebuilder:validation:Enum=Pending;Ready;Failed
	Phase         string `json:"phase,omitempty"`
	ReadyReplicas int32  `json:"readyReplicas,omitempty"`
}
