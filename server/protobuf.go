package server

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
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

// A message has the fields of a message that are bytes, by their numbers.
type message map[uint64][][]byte

// The wire types of fields.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func fieldsOf(b []byte) (message, error) {
	m := message{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errProtobuf
		}
		b = b[n:]
		size := uint64(0)
		switch tag & 7 {
		case wireVarint:
			if _, n = binary.Uvarint(b); n <= 0 {
				return nil, errProtobuf
			}
			size = uint64(n)
		case wireFixed64:
			size = 8
		case wireFixed32:
			size = 4
		case wireBytes:
			if size, n = binary.Uvarint(b); n <= 0 {
				return nil, errProtobuf
			}
			b = b[n:]
		default:
			return nil, errProtobuf
		}
		if size > uint64(len(b)) {
			return nil, errProtobuf
		}
		if tag&7 == wireBytes {
			m[tag>>3] = append(m[tag>>3], b[:size])
		}
		b = b[size:]
	}
	return m, nil
}

// last returns a field, of which the last value counts, or nil.
func (m message) last(number uint64) []byte {
	if values := m[number]; len(values) > 0 {
		return values[len(values)-1]
	}
	return nil
}

// texts returns a field that is a map.
func (m message) texts(number uint64) (map[string]string, error) {
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
