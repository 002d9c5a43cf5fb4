package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"runtime/debug"
)

// A billOfMaterials is a document of CycloneDX 1.6, with what go version -m prints.
type billOfMaterials struct {
	Format   string      `json:"bomFormat"`
	Spec     string      `json:"specVersion"`
	Version  int         `json:"version"`
	Metadata metadata    `json:"metadata"`
	Parts    []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// bill returns the list of the modules in a program. It fails if the program was not built as that version.
func bill(program, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	if info.Main.Version != version {
		return nil, fmt.Errorf("%s has version %q, not %s", program, info.Main.Version, version)
	}
	doc := billOfMaterials{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{of("application", &info.Main)}}
	for _, s := range info.Settings {
		doc.Metadata.Component.Properties = append(doc.Metadata.Component.Properties, property{"go:build:" + s.Key, s.Value})
	}
	toolchain := component{Type: "library", Name: "std", Version: info.GoVersion, URL: "pkg:golang/std@" + info.GoVersion}
	doc.Parts = []component{toolchain}
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("%s has a replaced module: %s", program, m.Path)
		}
		doc.Parts = append(doc.Parts, of("library", m))
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	return append(data, '\n'), err
}

func of(kind string, m *debug.Module) component {
	c := component{Type: kind, Name: m.Path, Version: m.Version, URL: "pkg:golang/" + m.Path + "@" + m.Version}
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}
