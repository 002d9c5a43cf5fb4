package crd
