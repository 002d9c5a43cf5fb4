// Defaults writes the defaults of built-in kinds that do not depend on other fields,
// server/internal/catalog/defaults.json, objects as Kubernetes completes them,
// server/internal/catalog/testdata/completed.jsonl, and the roles and bindings of a new server,
// server/internal/rbac/bootstrap.txt.
//
//	cd parity/defaults && go run .
//
// It learns them by running the defaulting functions of Kubernetes on objects that are empty but for one path, for each
// struct in each built-in kind. The kinds are those of server/internal/catalog/kinds.json. The defaults that depend on
// other fields are in server/internal/catalog/conditional.go; it fails if it finds one that it does not know of.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
)

const (
	catalogDir   = "../../server/internal/catalog/"
	defaultsFile = catalogDir + "defaults.json"
	casesFile    = catalogDir + "testdata/completed.jsonl"
)

// How many random objects of each kind are recorded, and their seed.
const (
	recorded     = 3
	recordedSeed = 1
)

func main() {
	log.SetFlags(0)
	defaults, cases, err := files()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(defaultsFile, defaults, 0o644); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(casesFile, cases, 0o644); err != nil {
		log.Fatal(err)
	}
	roles, err := policy()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(policyFile, roles, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d bytes of defaults, %d bytes of objects, %d bytes of roles and bindings\n", len(defaults), len(cases), len(roles))
}

// files returns the contents of both files.
func files() (defaults, cases []byte, err error) {
	kinds, err := readKinds()
	if err != nil {
		return nil, nil, err
	}
	l := newLearner(kinds)
	found, err := l.defaults()
	if err != nil {
		return nil, nil, err
	}
	if defaults, err = json.Marshal(found); err != nil {
		return nil, nil, err
	}
	// A line for each type, for readers of diffs.
	defaults = append(bytes.ReplaceAll(defaults, []byte(`}},"`), []byte("}},\n\"")), '\n')
	var out bytes.Buffer
	for _, k := range kinds {
		r := newRandom(recordedSeed)
		for range recorded {
			c, err := r.complete(k)
			if err != nil {
				return nil, nil, err
			}
			line, err := json.Marshal(c)
			if err != nil {
				return nil, nil, err
			}
			out.Write(append(line, '\n'))
		}
	}
	return defaults, out.Bytes(), nil
}

// A kind is a built-in kind of package server.
type kind struct {
	Group, Version, Kind, Type string
}

func readKinds() ([]kind, error) {
	text, err := os.ReadFile(catalogDir + "kinds.json")
	if err != nil {
		return nil, err
	}
	var table struct{ Kinds []kind }
	err = json.Unmarshal(text, &table)
	return table.Kinds, err
}

// typeName returns the name of a struct in kinds.json.
func typeName(path, name string) string {
	path = strings.ReplaceAll(strings.TrimPrefix(path, "k8s.io/"), "/", ".")
	return strings.TrimPrefix(strings.TrimPrefix(path, "api."), "apimachinery.pkg.apis.") + "." + name
}
