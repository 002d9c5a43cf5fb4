package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"

	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/unstructured"
)

// Tables of package server have the columns and cells of Kubernetes.
func TestColumns(t *testing.T) {
	kinds, err := readKinds()
	require.NoError(t, err)
	generator := printers.NewTableGenerator().With(internalversion.AddHandlers)
	for _, k := range kinds {
		columns := catalog.Columns(k.Type)
		if columns == nil {
			continue
		}
		t.Run(k.Type, func(t *testing.T) {
			r := newRandom(*seed)
			for range *objects {
				obj, err := k.newObject()
				require.NoError(t, err)
				r.object(obj)
				scheme.Default(obj)
				internal, err := scheme.ConvertToVersion(obj, schema.GroupVersion{Group: k.Group, Version: runtime.APIVersionInternal})
				if err != nil {
					continue
				}
				table, err := generator.GenerateTable(internal, printers.GenerateOptions{Wide: true})
				if err != nil {
					require.ErrorContains(t, err, "no table handler") // the columns are those of any kind
					require.Len(t, columns, 2)
					return
				}
				text, err := json.Marshal(obj)
				require.NoError(t, err)
				ours, err := unstructured.DecodeJSON(text)
				require.NoError(t, err)
				var names, wantNames, cells, wantCells []any
				for i, c := range columns {
					names = append(names, c.Name, c.Type, c.Wide)
					cell := c.Cell(ours, time.Now())
					if c.Name == "Created At" {
						cell, table.Rows[0].Cells[i] = "", ""
					}
					cells = append(cells, cell)
				}
				for i, c := range table.ColumnDefinitions {
					wantNames = append(wantNames, c.Name, c.Type, c.Priority > 0)
					wantCells = append(wantCells, table.Rows[0].Cells[i])
				}
				require.Equal(t, wantNames, names)
				if rough[k.Type] {
					return
				}
				require.EqualValues(t, normalCells(wantCells), normalCells(cells), "%s", text)
			}
		})
	}
}

// rough are the kinds whose cells differ from those of Kubernetes for objects that a server would not accept or that are
// rare: invalid selectors and owners, empty names of classes, Secrets with stringData, Pods with statuses of init containers.
var rough = map[string]bool{
	"apps.v1.ControllerRevision": true, "apps.v1.DaemonSet": true, "apps.v1.Deployment": true, "apps.v1.ReplicaSet": true, "batch.v1.CronJob": true, "batch.v1.Job": true,
	"core.v1.Secret": true,
	"core.v1.Event":  true, "core.v1.PersistentVolume": true, "core.v1.PersistentVolumeClaim": true, "core.v1.Pod": true, "core.v1.Service": true,
	"networking.v1.Ingress": true, "networking.v1.IngressClass": true, "networking.v1.NetworkPolicy": true, "storage.v1.StorageClass": true,
}

// normalCells returns cells as JSON has them.
func normalCells(cells []any) []any {
	out := make([]any, len(cells))
	for i, c := range cells {
		switch x := c.(type) {
		case int:
			c = int64(x)
		case int32:
			c = int64(x)
		}
		out[i] = c
	}
	return out
}
