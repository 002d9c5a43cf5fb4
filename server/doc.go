// Package server is a Kubernetes API server for custom resources: an [http.Handler] over package resource, with a store
// behind it. Any client works with it, in any language: kubectl, client-go and controller-runtime do, and their tests
// run against it. It starts in milliseconds.
//
//	s, err := server.New(ctx, server.Options{})
//	defer s.Close()
//	client := &http.Client{Transport: s.RoundTripper()} // no network
//	http.ListenAndServe("127.0.0.1:8080", s)            // or one
//
// Package crdtest/servertest starts one for a test. The repository's examples/apiserver is a program around this
// package, with stores in a file and in etcd.
//
// # Features
//
//   - CustomResourceDefinitions are created, changed and deleted like other objects. They are checked as a Kubernetes
//     server checks them (package crdcheck), and served at once. The server updates their conditions and
//     storedVersions.
//   - Custom objects: create, get, list, watch, update, patch, server-side apply, delete and deletecollection, with
//     status and scale, label and field selectors, pages, printer columns, dry runs, field validation, warnings,
//     finalizers, optimistic locking and conversion (None, Go functions, webhooks at a URL).
//   - Discovery, aggregated or not, and OpenAPI versions 2 and 3.
//   - Namespaces. Deleting one deletes the objects in it. A new store gets the namespaces that every cluster has.
//   - The built-in kinds, such as ConfigMaps, Secrets, Deployments, Events and Leases, with status and scale,
//     server-side apply, strategic merge patches and columns of tables. The server sets the defaults of Kubernetes. It
//     checks metadata, the types of fields, and what docs/server.md lists.
//   - Garbage collection by owner references, with background, foreground and orphan propagation.
//   - Admission by mutating and validating webhooks: those of stored configurations, which are called over TLS, and
//     handlers and Go functions in the same process. Stored ValidatingAdmissionPolicies are asked before the validating
//     webhooks.
//   - Role-based access control, and tokens of ServiceAccounts.
//   - Reviews of access and tokens, impersonation, and the subresources of Pods that are writes of the Pod.
//   - Functions for authentication, authorization, metrics and a graceful stop.
//   - Watches start with the existing objects, at a resourceVersion or with sendInitialEvents, and send bookmarks.
//     Resource versions count the changes of the whole store.
//
// # Not supported
//
//   - MutatingAdmissionPolicies: they are stored, without effect.
//   - Controllers, except those of namespaces, definitions and garbage: Deployments create no Pods, and Pods do not
//     run.
//   - Services: conversion webhooks are called at URLs only, admission webhooks also at the addresses that
//     [Options].ResolveService returns.
//   - Responses in protobuf, except OpenAPI version 2. Request bodies of built-in kinds and of options may be protobuf.
//   - OpenAPI documents of version 2 for built-in kinds, except definitions and namespaces.
//
// # Concurrency
//
// A [Server] is safe for concurrent use. [Server.Close] stops everything that the server has started, and waits for it
// to end. Servers may share a store: conditional writes keep names unique and deletions safe.
//
// # Cost
//
// A server without objects takes a few hundred KiB of memory, and 2 ms to start and to answer requests for a first
// definition and object. The first use of a built-in kind in a process takes up to 20 ms, the OpenAPI documents of
// version 3 150 ms once and 3 MiB. An object takes the memory of its JSON in the store, and as much again for each change
// that is still in the history. Watches share the JSON of events, which is made once for all of them. A watch with a
// slow client is only a position in the history and, without a network, at most 64 KiB of unread events. When the
// history no longer has the next event, the watch ends with status 410. A client that reads nothing for 30 seconds is
// disconnected.
//
// # Security considerations
//
// Without [Options].Token, every client that reaches the handler may do everything. All clients share limited numbers
// of connections ([Server.Serve]), requests and watches, and [Options].Memory for large texts in progress: see the
// table in the repository's SECURITY.md. Clients that neither send nor read lose their place to others. Who may write
// definitions and webhook configurations decides which URLs the server calls as webhooks, with objects in the requests;
// redirects to other hosts, and from https to http, are refused. A response of a webhook has at most 16 MiB, and a
// webhook at most 30 seconds. The expressions of an admission policy have the cost limits of a server and end with the
// request. Their parameters are read with the rights of the server.
//
// # Parity
//
// This package follows Kubernetes 1.37. Its clauses are those of the families DSC and KCT: docs/internals/behaviour.md
// in the repository lists them with their tests. docs/server.md lists the differences from a cluster.
package server
