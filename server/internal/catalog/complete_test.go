package catalog

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// Objects are completed as Kubernetes completes them. parity/defaults has recorded the answers, and compares others.
func TestComplete(t *testing.T) {
	file, err := os.Open("testdata/completed.jsonl")
	require.NoError(t, err)
	defer file.Close()
	lines, seen := bufio.NewScanner(file), map[string]bool{}
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c struct {
			Type       string
			Sent, Want json.RawMessage
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		seen[c.Type] = true
		t.Run(c.Type, func(t *testing.T) {
			obj, err := unstructured.DecodeJSON(c.Sent)
			require.NoError(t, err)
			got, ok := BuiltInTypes().Complete(c.Type, obj, 1000)
			require.True(t, ok)
			require.JSONEq(t, string(c.Want), jsonOf(t, got), "%s", c.Sent)
			require.JSONEq(t, string(c.Sent), jsonOf(t, obj), "the object is not modified")
			again, _ := BuiltInTypes().Complete(c.Type, got, 1000)
			require.JSONEq(t, jsonOf(t, got), jsonOf(t, again), "%s", c.Sent)
		})
	}
	require.NoError(t, lines.Err())
	for _, b := range readBuiltInKinds().Kinds {
		require.True(t, seen[b.Type], b.Type)
	}
}

// A hostile object does not make the server add values without a limit. Wrong types are left to the schema.
func TestCompleteHostile(t *testing.T) {
	ports := `{"spec":{"ports":[` + strings.Repeat(`{},`, 1000) + `{}]}}`
	obj, err := unstructured.DecodeJSON([]byte(ports))
	require.NoError(t, err)
	_, ok := BuiltInTypes().Complete("core.v1.Service", obj, 500)
	require.False(t, ok)
	for _, text := range []string{`{"spec":1}`, `{"spec":{"containers":{"a":1},"tolerations":3}}`, `{"spec":{"containers":[1,{"resources":[]},{"ports":1}]}}`,
		`{"spec":{"template":[],"strategy":1,"volumeClaimTemplates":[1]}}`, `{"status":[],"metadata":1}`, `{"spec":{"ports":[{"port":"a","targetPort":[]}]}}`} {
		for _, b := range readBuiltInKinds().Kinds {
			obj, err := unstructured.DecodeJSON([]byte(text))
			require.NoError(t, err)
			_, ok := defaultBuiltIn(b.Type, obj, 1000)
			require.True(t, ok)
			for _, c := range Columns(b.Type) {
				c.Cell(obj, testTime)
			}
		}
	}
}

func TestIsLatest(t *testing.T) {
	for image, want := range map[string]bool{
		"nginx": true, "nginx:latest": true, "nginx:1.2": false, "a/b": true, "localhost/a": true, "host:5000/a": true, "host:5000/a:1": false,
		"host.example.com/a/b:latest": true, "a@sha256:" + strings.Repeat("0", 64): false, "a:latest@sha256:" + strings.Repeat("0", 64): true,
		"": false, "UPPER": false, "UPPER/a": true, "a b": false, "a:": false, strings.Repeat("0", 64): false, strings.Repeat("a", 300): false,
		"[::1]:5000/a": true, "a//b": false, "a_b": true, "a___b": false,
	} {
		require.Equal(t, want, isLatest(image), image)
	}
}

func TestCanonicalQuantity(t *testing.T) {
	for _, q := range []struct {
		sent  any
		milli bool
		want  any // nil: as it was sent
	}{
		{"1", true, nil}, {int64(2), true, "2"}, {0.5, true, "500m"}, {"1000m", true, "1"}, {"1.0", true, "1"}, {"1024Mi", true, "1Gi"}, {"1.5Gi", true, "1536Mi"},
		{"0.1", true, "100m"}, {"100n", true, "1m"}, {"100n", false, nil}, {"1000", true, "1k"}, {"1e3", true, "1e3"}, {"0", true, nil}, {"-1", true, nil},
		{"1500", true, nil}, {"1023Ki", true, nil}, {"0.5Ki", true, "512"}, {"1Ki", true, nil}, {"x", true, nil}, {"", true, nil}, {true, true, nil},
		{strings.Repeat("9", 40), true, nil}, {"1e999999999", true, nil},
		{"9Ei", true, "9223372036854775807"}, {"9999999999999999Gi", false, "9223372036854775807"}, {"1e25", true, "10e24"}, {"1.5e21", true, "1500e18"},
		{"1024000000000000000000", true, "1024E"}, {"9223372036854775807000", true, "9223372036854775807k"}, {"9999999999999999999999n", true, "10T"},
		{"7.9999Ei", false, "9223256744704315123302400u"},
	} {
		got := canonicalQuantity(q.sent, q.milli)
		if got == q.sent {
			got = nil
		}
		want := q.want
		if want == q.sent {
			want = nil
		}
		require.Equal(t, want, got, "%v", q.sent)
	}
}

func TestAddQuantities(t *testing.T) {
	nines := strings.Repeat("9", 40)
	for _, r := range [][3]string{
		{"1", "500m", "1500m"}, {"500m", "500m", "1"}, {"512Mi", "1000Mi", "1512Mi"}, {"1G", "1000Mi", "2048576k"}, {"1Gi", "1", "1073741825"},
		{"0", "1Gi", "1Gi"}, {"1Gi", "0", "1Gi"}, {"1000", "1k", "2k"}, {"1Ki", "500m", "1024500m"}, {"1e3", "1e3", "2e3"}, {"-1", "1", "0"},
		{"1", "x", "1"}, {"", "1", "1"}, {"900000000000000000", "900000000000000000", "1800P"},
		// These are the answers of a server.
		{"1Gi", "1E", "976562501048576Ki"}, {"1Gi", "2000P", "1953125001048576Ki"}, {"1Gi", "1e25", "9536743164062501024Mi"},
		{"1Gi", nines, "10000000000000000000000000000001073741823"}, {nines + "Gi", "0", "9223372036854775807"}, {nines, "0", nines},
		{"1e40", "1", "1" + strings.Repeat("0", 39) + "1"}, {"1e18", "1e18", "2e18"}, {"1000000000000000000.5", "0", "1000000000000000000500m"},
		// Here a server has negative numbers.
		{"1Gi", "9Ei", "9223372037928517631"}, {"9Ei", "9Ei", "18446744073709551614"},
	} {
		p, _ := ParseQuantity(r[0])
		q, _ := ParseQuantity(r[1])
		require.Equal(t, r[2], p.Add(q).String(), r)
		require.Equal(t, p.Compare(q), -q.Compare(p), r)
	}
	for text, want := range map[string]bool{
		"1e64": true, "1e400": true, strings.Repeat("9", 65): true, "1e2000000000": true, "1" + strings.Repeat("0", 64) + ".1": true,
		"1e63": false, strings.Repeat("9", 64): false, "1e-2000000000": false, "0e2000000000": false, strings.Repeat("0", 100) + "1": false,
		strings.Repeat("9", 100) + "Ei": false, "-1e400": false, "": false, "0." + strings.Repeat("9", 1000): false,
	} {
		q, _ := ParseQuantity(text)
		require.Equal(t, want, q.Huge(), text)
		require.Less(t, len(q.String()), 80, text)
	}
	for text, want := range map[string]string{
		"1e-2000000000": "1e-3", "0." + strings.Repeat("0", 1000) + "1": "1m", "0e2000000000": "0", "-1n": "-1m", "-9Ei": "-9223372036854775807",
		"0." + strings.Repeat("0", 100) + "1Ei": "1m", "1." + strings.Repeat("0", 1000): "1", strings.Repeat("9", 1000) + "e-999": "10",
		"9223372036854775806": "9223372036854775806", "0.5Ei": "512Pi", "7.9999Ei": "9223256744704315123303m", "1e4294967296": "1",
	} {
		q, valid := ParseQuantity(text)
		require.True(t, valid, text)
		require.Equal(t, want, q.String(), text)
	}
	var zero Quantity
	require.Equal(t, "0", zero.String())
	require.Equal(t, 0, zero.Compare(Quantity{}))
}

// A quantity is read once, and what comes of it is short.
func TestLongQuantities(t *testing.T) {
	long, start := strings.Repeat("9", 1<<20), time.Now()
	sum, _ := ParseQuantity(long)
	one, _ := ParseQuantity("1.5")
	for range 10_000 {
		sum = sum.Add(one)
		require.NotEmpty(t, sum.String())
	}
	for _, text := range []string{long + "Ei", "0." + long, long + "e-1048576", "-" + long} {
		_, valid := ParseQuantity(text)
		require.True(t, valid)
	}
	require.Less(t, time.Since(start), 5*time.Second)
}
