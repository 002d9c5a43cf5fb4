package main

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/unstructured"
)

var (
	objects = flag.Int("objects", 300, "random objects of each kind")
	seed    = flag.Uint64("seed", 1, "of the random objects")
)

// The files are those that the module writes.
func TestFiles(t *testing.T) {
	defaults, cases, err := files()
	require.NoError(t, err)
	written, err := os.ReadFile(defaultsFile)
	require.NoError(t, err)
	require.Equal(t, string(defaults), string(written))
	written, err = os.ReadFile(casesFile)
	require.NoError(t, err)
	require.Equal(t, string(cases), string(written))
	roles, err := policy()
	require.NoError(t, err)
	written, err = os.ReadFile(policyFile)
	require.NoError(t, err)
	require.Equal(t, string(roles), string(written))
}

// Package server completes objects as Kubernetes does.
func TestComplete(t *testing.T) {
	kinds, err := readKinds()
	require.NoError(t, err)
	for _, k := range kinds {
		t.Run(k.Type, func(t *testing.T) {
			r := newRandom(*seed)
			for range *objects {
				c, err := r.complete(k)
				require.NoError(t, err)
				sent, err := json.Marshal(c.Sent)
				require.NoError(t, err)
				obj, err := unstructured.DecodeJSON(sent)
				require.NoError(t, err)
				got, ok := catalog.BuiltInTypes().Complete(k.Type, obj, 1000)
				require.True(t, ok)
				text, err := json.Marshal(got)
				require.NoError(t, err)
				want, err := json.Marshal(c.Want)
				require.NoError(t, err)
				require.JSONEq(t, string(want), string(text), "%s", sent)
			}
		})
	}
}
