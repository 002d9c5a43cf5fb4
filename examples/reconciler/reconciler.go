package reconciler

import (
	"context"
	"fmt"
	"html"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// A Site is a page, which a Reconciler keeps in a ConfigMap.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SiteSpec   `json:"spec"`
	Status            SiteStatus `json:"status,omitzero"`
}

// A SiteSpec is the desired page.
type SiteSpec struct {
	Title    string `json:"title"`
	Language string `json:"language,omitempty"`
}

// A SiteStatus is the state of the page.
type SiteStatus struct {
	Phase              string `json:"phase,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
}

// DeepCopyObject implements [runtime.Object]. Usually controller-gen writes it.
func (s *Site) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// A SiteList is a list of Sites.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

// DeepCopyObject implements [runtime.Object].
func (l *SiteList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]Site, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Site)
	}
	return &out
}

// NewScheme returns the kinds of Kubernetes, and Site.
func NewScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	_ = scheme.AddToScheme(s) // it always succeeds
	version := schema.GroupVersion{Group: "example.com", Version: "v1"}
	s.AddKnownTypes(version, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(s, version)
	return s
}

// A Reconciler keeps a ConfigMap for each Site.
type Reconciler struct{ client.Client }

// Reconcile creates or updates the ConfigMap of a Site.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	site := new(Site)
	if err := r.Get(ctx, req.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: site.Name, Namespace: site.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, page, func() error {
		page.Data = map[string]string{"index.html": fmt.Sprintf("<html lang=%q><title>%s</title>", site.Spec.Language, html.EscapeString(site.Spec.Title))}
		return ctrl.SetControllerReference(site, page, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	site.Status = SiteStatus{Phase: "Ready", ObservedGeneration: site.Generation}
	return ctrl.Result{}, r.Status().Update(ctx, site)
}

// Setup adds the reconciler to a manager.
func (r *Reconciler) Setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&Site{}).Owns(&corev1.ConfigMap{}).Complete(r)
}
