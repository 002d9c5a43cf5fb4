package server

import (
	"bytes"
	"encoding/json"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// Kubectl creates namespaces in protobuf from 1.32 on, whatever the server says it takes. This file reads of that what a namespace needs.

const protobufType = "application/vnd.kubernetes.protobuf"

// protobufMagic begins such a body. Behind it is an envelope: field 1 has apiVersion and kind, field 2 the object.
var protobufMagic = []byte("k8s\x00")

var errProtobuf = errors.New("not a namespace in protobuf")

// namespaceJSON returns the JSON of a namespace in protobuf.
func namespaceJSON(body []byte) ([]byte, error) {
	body, ok := bytes.CutPrefix(body, protobufMagic)
	envelope, err := fieldsOf(body)
	if !ok || err != nil {
		return nil, errProtobuf
	}
	kind, err1 := fieldsOf(envelope.last(1))
	namespace, err2 := fieldsOf(envelope.last(2))
	meta, err3 := fieldsOf(namespace.last(1))
	labels, err4 := meta.texts(11)
	annotations, err5 := meta.texts(12)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return nil, errProtobuf
	}
	var finalizers []string
	for _, f := range meta[14] {
		finalizers = append(finalizers, string(f))
	}
	type metadata struct {
		Name         string            `json:"name,omitempty"`
		GenerateName string            `json:"generateName,omitempty"`
		Labels       map[string]string `json:"labels,omitempty"`
		Annotations  map[string]string `json:"annotations,omitempty"`
		Finalizers   []string          `json:"finalizers,omitempty"`
	}
	return json.Marshal(struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Metadata   metadata `json:"metadata"`
	}{
		string(kind.last(1)), string(kind.last(2)),
		metadata{string(meta.last(1)), string(meta.last(2)), labels, annotations, finalizers},
	})
}

// message has the fields of a message that are bytes, by number.
type message map[protowire.Number][][]byte

func fieldsOf(b []byte) (message, error) {
	m := message{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, errProtobuf
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
				return nil, errProtobuf
			}
			b = b[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return nil, errProtobuf
		}
		m[number], b = append(m[number], value), b[n:]
	}
	return m, nil
}

// last returns a field, of which the last value counts, nil if it is not there.
func (m message) last(number protowire.Number) []byte {
	if values := m[number]; len(values) > 0 {
		return values[len(values)-1]
	}
	return nil
}

// texts returns a field that is a map.
func (m message) texts(number protowire.Number) (map[string]string, error) {
	out := map[string]string{}
	for _, entry := range m[number] {
		pair, err := fieldsOf(entry)
		if err != nil {
			return nil, err
		}
		out[string(pair.last(1))] = string(pair.last(2))
	}
	return out, nil
}
