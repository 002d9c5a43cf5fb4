package main

import (
	"bytes"
	"strings"
	"text/template"
)

// krew is the manifest of a plugin for kubectl's plugin manager.
const krew = `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: crdkit
spec:
  version: {{.Version}}
  homepage: https://github.com/crdkit/crdkit
  shortDescription: Validate custom objects and definitions without a cluster
  description: |
    Reports the errors and warnings of a Kubernetes API server for custom objects and their definitions in files:
    validation, changes of definitions, costs of rules, and Kubernetes versions that accept a definition.
  platforms:
{{- range .Platforms}}
  - selector:
      matchLabels:
        os: {{.OS}}
        arch: {{.Arch}}
    uri: {{$.URL}}/{{.Archive}}
    sha256: "{{.Sum}}"
    bin: {{.Program}}
{{- end}}
`

// formula is for Homebrew.
const formula = `class Crdkit < Formula
  desc "Validate Kubernetes custom objects and definitions without a cluster"
  homepage "https://github.com/crdkit/crdkit"
  version "{{.Number}}"
  license "Apache-2.0"
{{range $os := .Brew}}
  on_{{$os.Name}} do
{{- range $os.Platforms}}
    on_{{if eq .Arch "amd64"}}intel{{else}}arm{{end}} do
      url "{{$.URL}}/{{.Archive}}"
      sha256 "{{.Sum}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "crdkit"
    man1.install "man/crdkit.1"
    bash_completion.install "completions/crdkit.bash" => "crdkit"
    zsh_completion.install "completions/_crdkit"
    fish_completion.install "completions/crdkit.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/crdkit version")
  end
end
`

type brewSystem struct {
	Name      string
	Platforms []platform
}

// fill returns a text with the version and the platforms.
func fill(text, version string, platforms []platform) ([]byte, error) {
	t, err := template.New("").Parse(text)
	if err != nil {
		return nil, err
	}
	var brew []brewSystem
	for _, system := range []struct{ name, os string }{{"macos", "darwin"}, {"linux", "linux"}} {
		var of []platform
		for _, p := range platforms {
			if p.OS == system.os {
				of = append(of, p)
			}
		}
		if len(of) > 0 {
			brew = append(brew, brewSystem{system.name, of})
		}
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Version": version, "Number": strings.TrimPrefix(version, "v"), "Platforms": platforms, "Brew": brew,
		"URL": "https://github.com/crdkit/crdkit/releases/download/" + version,
	})
	return out.Bytes(), err
}
