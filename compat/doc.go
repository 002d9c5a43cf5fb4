// Package compat says whether a change of a CustomResourceDefinition breaks anything, with the object that proves it.
package compat
