package server

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConstraints creates objects of built-in kinds, most of them invalid in one field. testdata/constraints.txt has
// them, and the answers of kube-apiserver 1.37.2.
func TestConstraints(t *testing.T) {
	text, err := os.ReadFile("testdata/constraints.txt")
	require.NoError(t, err)
	_, c := start(t, Options{})
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	require.Zero(t, len(lines)%2)
	for i := 0; i < len(lines); i += 2 {
		to, body, _ := strings.Cut(lines[i], " ")
		want := strings.TrimPrefix(lines[i+1], "\t")
		obj := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(body), &obj), lines[i])
		if obj["metadata"] == nil {
			obj["metadata"] = map[string]any{"name": "x"}
		}
		sent, err := json.Marshal(obj)
		require.NoError(t, err)
		answer := send(t, c, "POST", to, string(sent), "Content-Type", "application/json")
		var got struct{ Message string }
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&got))
		if want == "201" {
			require.Equal(t, http.StatusCreated, answer.StatusCode, "%s: %s", lines[i], got.Message)
			name := obj["metadata"].(map[string]any)["name"].(string)
			send(t, c, "DELETE", path.Join(to, name)+"?gracePeriodSeconds=0", "")
			continue
		}
		require.Equal(t, http.StatusUnprocessableEntity, answer.StatusCode, lines[i])
		_, why, _ := strings.Cut(got.Message, " is invalid: ")
		require.Equal(t, want, why, lines[i])
	}
}

// The data of a ConfigMap or a Secret has at most 1 MiB, without the base64 of its bytes.
func TestMaxData(t *testing.T) {
	_, c := start(t, Options{})
	const name = `{"metadata":{"name":"x"},`
	text, inBase64 := strings.Repeat("a", maxData), base64.StdEncoding.EncodeToString(make([]byte, maxData))
	for path, fits := range map[string]string{
		configMaps: name + `"data":{"a":"` + text + `"}}`,
		strings.Replace(configMaps, "configmaps", "secrets", 1): name + `"data":{"a":"` + inBase64 + `"}}`,
	} {
		must(t, c, http.StatusCreated, "POST", path+"?dryRun=All", fits)
		refused := must(t, c, http.StatusUnprocessableEntity, "POST", path+"?dryRun=All", strings.Replace(fits, `"data":{`, `"data":{"b":"eA==",`, 1))
		require.Contains(t, refused["message"], "Too long: may not be more than 1048576 bytes")
	}
	refused := must(t, c, http.StatusUnprocessableEntity, "POST", configMaps+"?dryRun=All", name+`"binaryData":{"b":"eA=="},"data":{"a":"`+text+`"}}`)
	require.Contains(t, refused["message"], "is invalid: []: Too long")
}
