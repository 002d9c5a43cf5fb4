package crdtest

import "github.com/crdkit/crdkit/crd"

type crdVersion = crd.Version
