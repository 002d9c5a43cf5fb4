package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuiltinError(t *testing.T) {
	for id, want := range map[[2]string]string{
		{"v1", "Secret"}:                                     "",
		{"v1", "Config"}:                                     "",
		{"v1", "PodList"}:                                    "",
		{"v1", "Secretx"}:                                    `no matches for kind "Secretx" in version "v1", did you mean "Secret"?`,
		{"apps/v1", "Pod"}:                                   `no matches for kind "Pod" in version "apps/v1"`,
		{"apps/v1beta1", "Deployment"}:                       `no matches for kind "Deployment" in version "apps/v1beta1": Kubernetes 1.16 removed it, and has it in apps/v1`,
		{"extensions/v1beta1", "Ingress"}:                    `no matches for kind "Ingress" in version "extensions/v1beta1": Kubernetes 1.22 removed it, and has it in networking.k8s.io/v1`,
		{"policy/v1beta1", "PodSecurityPolicy"}:              `no matches for kind "PodSecurityPolicy" in version "policy/v1beta1": Kubernetes 1.25 removed it`,
		{"apps/v3", "Deployment"}:                            "", // newer than the table
		{"kustomize.config.k8s.io/v1beta1", "Kustomization"}: "",
		{"example.org/v1", "Tap"}:                            "",
	} {
		require.Equal(t, want, builtinError(id[0], id[1]), id)
	}
}

// The paths of encrypted values are limited, however deep they are.
func TestEncryptedIsBounded(t *testing.T) {
	value := any("ENC[AES256_GCM,data:x]")
	for range 9000 {
		value = []any{value}
	}
	deep := make([]any, 200)
	for i := range deep {
		deep[i] = value
	}
	rest, paths := encrypted(map[string]any{"spec": map[string]any{"a": "ENC[x]"}, "sops": map[string]any{"mac": "x"}})
	require.Equal(t, map[string]any{"spec": map[string]any{"a": "ENC[x]"}}, rest)
	require.Len(t, paths, 1)
	_, paths = encrypted(map[string]any{"spec": deep, "sops": map[string]any{"mac": "x"}})
	require.Len(t, paths, maxEncrypted/9002)
	rest, _ = encrypted(map[string]any{"sops": map[string]any{"other": 1}, "spec": "ENC[x]"})
	require.Nil(t, rest)
}
