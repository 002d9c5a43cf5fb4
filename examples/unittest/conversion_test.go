package unittest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/registry"
)

// TicketV1 and TicketV2 are the types of two versions. In v1 a Ticket has one owner.
type (
	TicketV1 struct {
		Metadata TicketMetadata `json:"metadata"`
		Spec     struct {
			Owner string `json:"owner"`
		} `json:"spec"`
	}
	TicketV2 struct {
		Metadata TicketMetadata `json:"metadata"`
		Spec     struct {
			Owners []string `json:"owners"`
		} `json:"spec"`
	}
	// TicketMetadata has what a converter may change. A server restores the rest, but the name, the namespace and the uid
	// must be there.
	TicketMetadata struct {
		Name        string            `json:"name,omitempty"`
		Namespace   string            `json:"namespace,omitempty"`
		UID         string            `json:"uid,omitempty"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
)

// others is the annotation in which a Ticket in v1 keeps the owners that it has no field for.
const others = "example.com/other-owners"

// tickets converts Tickets.
var tickets = conversion.Functions{
	{From: "v1", To: "v2"}: conversion.Typed(func(in TicketV1) (out TicketV2, err error) {
		out.Metadata = in.Metadata
		out.Spec.Owners = []string{in.Spec.Owner}
		if text, ok := in.Metadata.Annotations[others]; ok {
			out.Spec.Owners = append(out.Spec.Owners, strings.Split(text, ",")...)
			delete(in.Metadata.Annotations, others)
		}
		return out, nil
	}),
	{From: "v2", To: "v1"}: conversion.Typed(func(in TicketV2) (out TicketV1, err error) {
		if len(in.Spec.Owners) == 0 {
			return out, errors.New("a Ticket without owners")
		}
		out.Metadata, out.Spec.Owner = in.Metadata, in.Spec.Owners[0]
		if rest := in.Spec.Owners[1:]; len(rest) > 0 {
			if out.Metadata.Annotations == nil {
				out.Metadata.Annotations = map[string]string{}
			}
			out.Metadata.Annotations[others] = strings.Join(rest, ",")
		}
		return out, nil
	}),
}

// ticketDefinitions returns the definition of Tickets, with a converter in place of the webhook.
func ticketDefinitions(converter conversion.Converter) (*crdtest.Set, error) {
	reg, err := registry.Load("testdata/tickets.yaml")
	if err != nil {
		return nil, err
	}
	reg, err = reg.WithConverter("tickets.example.com", converter)
	return crdtest.New(reg), err
}

// The golden files have what is answered in v1, and what is stored in v2.
func TestTicketFiles(t *testing.T) {
	crds, err := ticketDefinitions(tickets)
	require.NoError(t, err)
	crdtest.RunFiles(t, crds, "testdata/conversion")
}

// Nothing is lost between the versions.
func TestTicketRoundTrips(t *testing.T) {
	crds, err := ticketDefinitions(tickets)
	require.NoError(t, err)
	crds.RoundTrips(t, "Ticket")
}

func FuzzTicket(f *testing.F) {
	crds, err := ticketDefinitions(tickets)
	require.NoError(f, err)
	crdtest.Fuzz(f, crds, "Ticket")
}

// A function over the structs of two versions converts objects.
func Example_conversion() {
	owners := []any{"ann", "bob"}
	ticket := map[string]any{
		"apiVersion": "example.com/v2", "kind": "Ticket", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"owners": owners},
	}
	out, err := tickets.Convert(context.Background(), []map[string]any{ticket}, "example.com/v1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[0]["spec"], out[0]["metadata"])
	// Output: map[owner:ann] map[annotations:map[example.com/other-owners:bob] name:a]
}
