package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/server/storage"
)

// twoVersions returns a patch that gives kites a second version, which is the storage version if so, and a webhook.
func twoVersions(storage string) string {
	version := `{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"colour":{"type":"string"}}}}}}}`
	return `{"spec":{"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"service":{"name":"a","namespace":"b"}}}},"versions":[` +
		fmt.Sprintf(version, "v1", storage == "v1") + "," + fmt.Sprintf(version, "v2", storage == "v2") + `]}}`
}

// CNV-033: a list says which objects cannot be read, up to a limit, and a definition with such objects is not deleted
// until they can be.
func TestObjectsThatAreNotConverted(t *testing.T) {
	var works atomic.Bool
	convert := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		if !works.Load() {
			return nil, errors.New("down")
		}
		for i := range objects {
			objects[i] = conversion.None(objects[i], apiVersion)
		}
		return objects, nil
	})
	s := serve(t, Options{Converters: map[string]conversion.Converter{"kites.wind.example.com": convert}}, storage.MemoryOptions{})
	for i := range maxUnreadable + 5 {
		s.must(t, http.StatusCreated, "POST", kites, kite(fmt.Sprintf("k%03d", i), "red"))
	}
	path := definitions + "/kites.wind.example.com"
	s.must(t, http.StatusOK, "PATCH", path, twoVersions("v2"), "Content-Type", mergePatch)
	v2 := strings.Replace(allKites, "/v1/", "/v2/", 1)
	for limit, want := range map[string]int{"?limit=3": maxUnreadable + 1, "": maxUnreadable + 1} {
		refused := s.must(t, http.StatusInternalServerError, "GET", v2+limit, "")
		require.Equal(t, "StorageReadError", refused["reason"])
		require.Regexp(t, `^failed to read one or more kites\.wind\.example\.com from the storage: StorageError: corrupt object, .* \(and 99 more\)$`, refused["message"])
		causes := at(refused, "details", "causes").([]any)
		require.Len(t, causes, want)
		require.Equal(t, "/registry/wind.example.com/kites/default/k000", causes[0].(object)["field"])
		require.Equal(t, object{"reason": "FieldValueTooMany", "message": "too many errors, the list is truncated"}, causes[maxUnreadable])
	}

	s.must(t, http.StatusOK, "DELETE", path, "")
	terminating := func() object {
		for _, c := range at(s.must(t, http.StatusOK, "GET", path, ""), "status", "conditions").([]any) {
			if c := c.(object); c["type"] == "Terminating" {
				return c
			}
		}
		return nil
	}
	require.Eventually(t, func() bool { return terminating()["reason"] == deletionFailed }, 30*time.Second, 5*time.Millisecond)
	require.Contains(t, terminating()["message"], "could not list instances: failed to read one or more kites.wind.example.com from the storage: ")
	s.must(t, http.StatusOK, "GET", kites+"/k000", "")
	works.Store(true)
	s.gone(t, path)
}

// The texts of the errors of a list are limited as well.
func TestUnreadableTexts(t *testing.T) {
	var u unreadable
	require.False(t, u.any())
	for !u.enough() {
		u.add("/k", failed(errors.New(strings.Repeat("x", 400<<10))))
	}
	require.Len(t, u.causes, 3)
}

// A deliberate difference: a new object has no uid when it is converted.
func TestNewObjectsHaveNoUID(t *testing.T) {
	var seen []object
	convert := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		for i, obj := range objects {
			seen = append(seen, metadata(obj))
			objects[i] = conversion.None(obj, apiVersion)
		}
		return objects, nil
	})
	s := serve(t, Options{Converters: map[string]conversion.Converter{"kites.wind.example.com": convert}}, storage.MemoryOptions{})
	s.must(t, http.StatusOK, "PATCH", definitions+"/kites.wind.example.com", twoVersions("v2"), "Content-Type", mergePatch)
	s.must(t, http.StatusCreated, "POST", kites, kite("a", "red"))
	require.NotEmpty(t, seen)
	require.NotContains(t, seen[0], "uid")
	require.NotContains(t, seen[0], "creationTimestamp")
}
