package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const collection = "/apis/load.example.com/v1/namespaces/default/counters"

const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"counters.load.example.com"},
"spec":{"group":"load.example.com","scope":"Namespaced","names":{"plural":"counters","kind":"Counter"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","required":["spec"],
"properties":{"spec":{"type":"object","properties":{"count":{"type":"integer","default":0},"text":{"type":"string","maxLength":10000}},
"x-kubernetes-validations":[{"rule":"self.count >= 0"}]}}}}}]}}`

// A counter is an object.
type counter struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name            string `json:"name"`
		ResourceVersion string `json:"resourceVersion,omitempty"`
		UID             string `json:"uid,omitempty"`
	} `json:"metadata"`
	Spec struct {
		Count int    `json:"count"`
		Text  string `json:"text,omitempty"`
	} `json:"spec"`
}

func newCounter(name string) counter {
	c := counter{APIVersion: "load.example.com/v1", Kind: "Counter"}
	c.Metadata.Name = name
	return c
}

func (c counter) version() int64 {
	n, _ := strconv.ParseInt(c.Metadata.ResourceVersion, 10, 64)
	return n
}

// A client makes requests.
type client struct {
	server, token string
	http          *http.Client
}

func newClient(server, token string, ca []byte) *client {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 100,
	}
	return &client{server: server, token: token, http: &http.Client{Transport: transport}}
}

// A status is an answer other than success.
type status struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (s *status) Error() string { return fmt.Sprintf("%d: %s", s.Code, s.Message) }

// is reports whether err is an answer with that code.
func is(err error, code int) bool {
	var s *status
	return errors.As(err, &s) && s.Code == code
}

// do makes a request, and decodes the answer into out.
func (c *client) do(ctx context.Context, method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	answer, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	if out == nil {
		_, err = io.Copy(io.Discard, answer)
		return err
	}
	return json.NewDecoder(answer).Decode(out)
}

// send makes a request and returns the body of the answer.
func (c *client) send(ctx context.Context, method, path string, body any) (io.ReadCloser, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.server+path, sent)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		defer answer.Body.Close()
		s := &status{Code: answer.StatusCode}
		if json.NewDecoder(answer.Body).Decode(s) != nil {
			s.Message = answer.Status
		}
		return nil, s
	}
	return answer.Body, nil
}

// define installs the definition of counters.
func (c *client) define(ctx context.Context) error {
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	err := c.do(ctx, http.MethodPost, path, json.RawMessage(definition), nil)
	if is(err, http.StatusConflict) {
		return nil
	}
	return err
}

// list returns all counters, and the version of the list.
func (c *client) list(ctx context.Context) ([]counter, int64, error) {
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Items []counter `json:"items"`
	}
	err := c.do(ctx, http.MethodGet, collection, nil, &list)
	version, _ := strconv.ParseInt(list.Metadata.ResourceVersion, 10, 64)
	return list.Items, version, err
}

// increment reads a counter and writes it back, incremented, until there is no conflict. It returns the counter.
func (c *client) increment(ctx context.Context, name string) (counter, int, error) {
	for conflicts := 0; ; conflicts++ {
		var got counter
		if err := c.do(ctx, http.MethodGet, collection+"/"+name, nil, &got); err != nil {
			return got, conflicts, err
		}
		got.Spec.Count++
		err := c.do(ctx, http.MethodPut, collection+"/"+name, got, &got)
		if !is(err, http.StatusConflict) {
			return got, conflicts, err
		}
	}
}

// An event is one of a watch.
type event struct {
	Type   string  `json:"type"`
	Object counter `json:"object"`
}

// watch calls a function for each event after a version, until the function returns true or the stream ends.
func (c *client) watch(ctx context.Context, after int64, each func(event) (enough bool)) error {
	q := url.Values{"watch": {"1"}, "allowWatchBookmarks": {"1"}, "resourceVersion": {strconv.FormatInt(after, 10)}}
	answer, err := c.send(ctx, http.MethodGet, collection+"?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	defer answer.Close()
	for d := json.NewDecoder(answer); ; {
		var e event
		if err := d.Decode(&e); err != nil {
			return err
		}
		if each(e) {
			return nil
		}
	}
}
