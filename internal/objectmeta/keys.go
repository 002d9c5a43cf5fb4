package objectmeta

import "encoding/json"

// Keys is a struct with the keys of [Metadata], for the strict decoder of sigs.k8s.io/json: it reports keys that a struct does not have,
// and duplicate keys. Nothing of use is decoded.
type Keys struct {
	Name                       anything            `json:"name"`
	GenerateName               anything            `json:"generateName"`
	Namespace                  anything            `json:"namespace"`
	SelfLink                   anything            `json:"selfLink"`
	UID                        anything            `json:"uid"`
	ResourceVersion            anything            `json:"resourceVersion"`
	Generation                 anything            `json:"generation"`
	CreationTimestamp          anything            `json:"creationTimestamp"`
	DeletionTimestamp          anything            `json:"deletionTimestamp"`
	DeletionGracePeriodSeconds anything            `json:"deletionGracePeriodSeconds"`
	Labels                     map[string]anything `json:"labels"`
	Annotations                map[string]anything `json:"annotations"`
	OwnerReferences            []struct {
		APIVersion         anything `json:"apiVersion"`
		Kind               anything `json:"kind"`
		Name               anything `json:"name"`
		UID                anything `json:"uid"`
		Controller         anything `json:"controller"`
		BlockOwnerDeletion anything `json:"blockOwnerDeletion"`
	} `json:"ownerReferences"`
	Finalizers    anything `json:"finalizers"`
	ManagedFields []struct {
		Manager     anything `json:"manager"`
		Operation   anything `json:"operation"`
		APIVersion  anything `json:"apiVersion"`
		Time        anything `json:"time"`
		FieldsType  anything `json:"fieldsType"`
		FieldsV1    anything `json:"fieldsV1"`
		Subresource anything `json:"subresource"`
	} `json:"managedFields"`
}

// anything is a value in which unknown and duplicate keys are not reported.
type anything = json.RawMessage
