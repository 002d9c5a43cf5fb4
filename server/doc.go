// Package server is a Kubernetes API server for custom resources: an [http.Handler] over package resource, with a store behind it. Any
// client works with it, in any language: kubectl, client-go and controller-runtime do, and their tests run against it. It starts in
// milliseconds.
//
//	s, err := server.New(ctx, server.Options{})
//	defer s.Close()
//	client := &http.Client{Transport: s.RoundTripper()} // no network
//	http.ListenAndServe("127.0.0.1:8080", s)            // or one
//
// Package crdtest/servertest starts one for a test. The repository's examples/apiserver is a program around this package, with stores in a
// file and in etcd.
//
// # What there is
//
//   - CustomResourceDefinitions are created, changed and deleted like everything else. They are checked as a server checks them (package
//     crdcheck), and served at once; their conditions and storedVersions are kept.
//   - Custom objects: create, get, list, watch, update, patch, server-side apply, delete and deletecollection, with status and scale, label and
//     field selectors, pages, printer columns, dry runs, field validation, warnings, finalizers, optimistic locking and conversion (None, Go
//     functions, webhooks at a URL).
//   - Discovery, aggregated or not, and OpenAPI versions 2 and 3.
//   - Namespaces, which take their objects along when they are deleted. A new store gets those that each cluster has.
//   - The built-in kinds that controllers write, such as ConfigMaps, Secrets, Deployments, Events and Leases: stored with the checks of metadata
//     and of the types of fields, with status and scale, server-side apply and strategic merge patches. They get no defaults but the
//     status of a new object, and nothing else of them is validated.
//   - Garbage collection by owner references: in the background, in the foreground, and orphaning.
//   - Admission by mutating and validating webhooks in the same process.
//   - Watches begin with what there is, at a resourceVersion or with sendInitialEvents, and send bookmarks. Resource versions count the
//     changes of the whole store.
//
// # What there is not
//
//   - Authorization: whoever is let in may do everything.
//   - Controllers, but for namespaces, definitions and garbage: Deployments make no Pods, and Pods do not run.
//   - Services that lead anywhere: conversion webhooks are called at URLs.
//   - Answers in protobuf, but for OpenAPI version 2. Bodies may be protobuf for built-in kinds and options.
//   - OpenAPI documents of built-in kinds, but for definitions and namespaces.
//
// # Concurrency
//
// A [Server] is safe for concurrent use. [Server.Close] ends everything that it has started, and returns when that has ended. Servers may
// share a store: the conditions of its writes guard names and deletions.
//
// # Cost
//
// A server without objects takes some hundred KiB, and 2 ms with its first definition and object. A built-in kind takes up to 20 ms once in
// a process, when it is first used. An object costs its JSON in the store, and once more for each change that the history
// still has. Watches share what they send: the JSON of an event is made once for all of them, and a watch whose client is slow is a position
// in the history, and 64 KiB of unread events at most without a network. When the history no longer has its next event, the watch ends
// with status 410, and a client that reads nothing for 30 seconds is disconnected.
//
// # Security considerations
//
// Without [Options].Token everybody who reaches the handler may do everything. Requests are bounded: 3 MiB of body, 64 KiB of path and query,
// [Options].Requests and Watches at once, [Options].Timeout. Slow connections are for the HTTP server to bound; [Server.Serve] does.
// Definitions may name any URL as their conversion webhook, and the server calls it.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families DSC and KCT: docs/behaviour.md in the repository lists them with
// their tests. docs/server.md says what is different from a cluster.
package server
