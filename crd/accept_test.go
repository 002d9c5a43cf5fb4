package crd

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	mathrand "math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// lampDefinition returns a definition of the group g with the names in its spec and those accepted in its status.
func lampDefinition(name string, asked, accepted Names, conditions ...Condition) *CustomResourceDefinition {
	return &CustomResourceDefinition{
		Metadata: map[string]any{"name": name},
		Spec:     Spec{Group: "g", Names: asked},
		Status:   Status{AcceptedNames: accepted, Conditions: conditions, StoredVersions: []string{"v1"}},
	}
}

func lampNames(short ...string) Names {
	return Names{Plural: "lamps", Singular: "lamp", Kind: "Lamp", ListKind: "LampList", ShortNames: short, Categories: []string{"all"}}
}

func accepted(reason, message string) Condition {
	c := Condition{Type: NamesAccepted, Status: "False", Reason: reason, Message: message, LastTransitionTime: later}
	if reason == "NoConflicts" {
		c.Status = "True"
	}
	return c
}

// acceptOnce is acceptNames with the names of other definitions.
func (d *CustomResourceDefinition) acceptOnce(others []*CustomResourceDefinition, now time.Time) Status {
	s, _ := d.acceptNames(func() takenNames { return takenBy(others, d) }, now)
	return s
}

// NAM-001, NAM-002, NAM-003: the accepted names if another definition exists, and the condition NamesAccepted.
func TestAcceptNames(t *testing.T) {
	kind := Names{Kind: "Bulb", ListKind: "BulbList"}
	for _, row := range []struct {
		name                   string
		asked, had, of, accept Names
		reason, message        string
	}{
		{"nothing in the way", lampNames("l"), Names{}, Names{Plural: "bulbs", Singular: "bulb", ShortNames: []string{"b"}, Kind: "Bulb", ListKind: "BulbList"},
			lampNames("l"), "NoConflicts", "no conflicts found"},
		{"a plural that is taken", lampNames(), Names{}, Names{Plural: "lamps"},
			Names{Singular: "lamp", Kind: "Lamp", ListKind: "LampList", Categories: []string{"all"}}, "PluralConflict", `"lamps" is already in use`},
		{"a singular that is another's plural", lampNames(), Names{}, Names{Plural: "lamp"},
			Names{Plural: "lamps", Kind: "Lamp", ListKind: "LampList", Categories: []string{"all"}}, "SingularConflict", `"lamp" is already in use`},
		{"a plural that is another's short name", lampNames(), Names{}, Names{ShortNames: []string{"x", "lamps"}},
			Names{Singular: "lamp", Kind: "Lamp", ListKind: "LampList", Categories: []string{"all"}}, "PluralConflict", `"lamps" is already in use`},
		{"a short name that is another's plural: none of the list is accepted", lampNames("l", "x"), Names{}, Names{Plural: "x"},
			lampNames(), "ShortNamesConflict", `"x" is already in use`},
		{"EMD-006: two short names, one of them twice", lampNames("x", "l", "y", "x"), Names{}, Names{ShortNames: []string{"y", "x"}},
			lampNames(), "ShortNamesConflict", `["x" is already in use, "y" is already in use]`},
		{"short names that were accepted stay", lampNames("x", "y"), lampNames("x"), Names{ShortNames: []string{"x", "y"}},
			lampNames("x"), "ShortNamesConflict", `"y" is already in use`},
		{"own accepted short names are no conflict", lampNames("y", "x"), lampNames("x"), Names{ShortNames: []string{"x"}},
			lampNames("y", "x"), "NoConflicts", "no conflicts found"},
		{"a kind", lampNames(), Names{}, Names{ListKind: "Lamp"},
			Names{Plural: "lamps", Singular: "lamp", ListKind: "LampList", Categories: []string{"all"}}, "KindConflict", `"Lamp" is already in use`},
		{"a kind of lists", lampNames(), Names{}, Names{Kind: "LampList"},
			Names{Plural: "lamps", Singular: "lamp", Kind: "Lamp", Categories: []string{"all"}}, "ListKindConflict", `"LampList" is already in use`},
		{"upper and lower case differ", lampNames(), Names{}, Names{Kind: "lamp", ListKind: "lamplist"}, lampNames(), "NoConflicts", "no conflicts found"},
		{"kinds are not resources", lampNames(), Names{}, Names{Kind: "lamps", Plural: "Lamp"}, lampNames(), "NoConflicts", "no conflicts found"},
		{"the last of several is told", lampNames("x"), Names{}, Names{Plural: "lamps", Singular: "lamp", ShortNames: []string{"x"}, Kind: "Lamp"},
			Names{ListKind: "LampList", Categories: []string{"all"}}, "KindConflict", `"Lamp" is already in use`},
		{"own accepted values are kept though another has them", lampNames("l"), lampNames(), lampNames(), lampNames("l"), "NoConflicts", "no conflicts found"},
		{"a new kind, and an old one that stays", Names{Plural: "lamps", Kind: "Bulb", ListKind: "LampList"},
			Names{Plural: "lamps", Kind: "Lamp", ListKind: "LampList"}, kind, Names{Plural: "lamps", Kind: "Lamp", ListKind: "LampList"},
			"KindConflict", `"Bulb" is already in use`},
		{"quirk: once accepted, the own plural is in use as a short name", lampNames("lamps"), lampNames(), Names{}, lampNames(),
			"ShortNamesConflict", `"lamps" is already in use`},
		{"quirk: at first it is not", lampNames("lamps"), Names{}, Names{}, lampNames("lamps"), "NoConflicts", "no conflicts found"},
		{"the own singular is in use as a short name", lampNames("lamp"), lampNames(), Names{}, lampNames(),
			"ShortNamesConflict", `"lamp" is already in use`},
		{"the own kind of lists is in use as a kind", Names{Kind: "LampList", ListKind: "LampList"}, Names{Kind: "Lamp", ListKind: "LampList"}, Names{},
			Names{Kind: "Lamp", ListKind: "LampList"}, "KindConflict", `"LampList" is already in use`},
		{"an empty short name is never in use, an empty singular is", Names{Singular: "", ShortNames: []string{""}}, Names{Singular: "lamp"}, Names{},
			Names{Singular: "lamp", ShortNames: []string{""}}, "SingularConflict", `"" is already in use`},
		{"names are quoted as in Go", Names{Plural: "a\"\n"}, Names{Plural: "b"}, Names{Plural: "a\"\n"}, Names{Plural: "b"},
			"PluralConflict", `"a\"\n" is already in use`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := lampDefinition("lamps.g", row.asked, row.had)
			got := d.acceptOnce([]*CustomResourceDefinition{lampDefinition("others.g", Names{}, row.of)}, later)
			require.Equal(t, row.accept, got.AcceptedNames)
			require.Equal(t, accepted(row.reason, row.message), got.Conditions[0])
			require.Equal(t, []string{"v1"}, got.StoredVersions)
			require.Equal(t, lampDefinition("lamps.g", row.asked, row.had), d, "the argument")
		})
	}
}

// NAM-001: the definitions whose names are taken, and the cases without a change.
func TestAcceptNamesOf(t *testing.T) {
	free := func(t *testing.T, others ...*CustomResourceDefinition) {
		t.Helper()
		s := lampDefinition("lamps.g", lampNames(), Names{}).acceptOnce(others, later)
		require.Equal(t, lampNames(), s.AcceptedNames)
	}
	t.Run("another group", func(t *testing.T) {
		o := lampDefinition("lamps.h", lampNames(), lampNames())
		o.Spec.Group = "h"
		free(t, o)
	})
	t.Run("names that other definitions request", func(t *testing.T) { free(t, lampDefinition("o.g", lampNames(), Names{})) })
	t.Run("an older state of itself, and nil", func(t *testing.T) { free(t, nil, lampDefinition("lamps.g", lampNames(), lampNames())) })
	t.Run("itself, without a name: a name that it releases is free at the next step", func(t *testing.T) {
		d := lampDefinition("", Names{Plural: "a", Singular: "b"}, Names{Plural: "b", Singular: "c"})
		s := d.Settle([]*CustomResourceDefinition{d}, later)
		require.Equal(t, Names{Plural: "a", Singular: "b"}, s.AcceptedNames)
	})
	t.Run("the same condition, but new names", func(t *testing.T) {
		d := lampDefinition("lamps.g", lampNames("l"), lampNames(), accepted("NoConflicts", "no conflicts found"))
		require.Equal(t, lampNames("l"), d.acceptOnce(nil, later).AcceptedNames)
	})
	t.Run("definitions without a name are different ones", func(t *testing.T) {
		s := lampDefinition("", lampNames(), Names{}).acceptOnce([]*CustomResourceDefinition{lampDefinition("", lampNames(), lampNames())}, later)
		require.Equal(t, Names{Categories: []string{"all"}}, s.AcceptedNames)
	})
	t.Run("all names accepted: conditions are not looked at", func(t *testing.T) {
		d := lampDefinition("lamps.g", lampNames(), lampNames(), accepted("KindConflict", "m"))
		d.Spec.Names.ShortNames = []string{} // equal to none
		require.Equal(t, d.Status, d.acceptOnce(nil, later))
	})
	t.Run("nothing new: Established is not added", func(t *testing.T) {
		d := lampDefinition("lamps.g", lampNames("x"), lampNames(), accepted("ShortNamesConflict", `"x" is already in use`))
		got := d.acceptOnce([]*CustomResourceDefinition{lampDefinition("o.g", Names{}, Names{Plural: "x"})}, later.Add(time.Hour))
		require.Equal(t, d.Status, got)
	})
}

// EST-001: the condition Established after the naming step.
func TestEstablishedByNames(t *testing.T) {
	installing := Condition{Type: Established, Status: "False", Reason: "Installing", Message: "the initial names have been accepted", LastTransitionTime: later}
	notAccepted := Condition{Type: Established, Status: "False", Reason: "NotAccepted", Message: "not all names are accepted", LastTransitionTime: later}
	was := func(status string, at time.Time) Condition {
		return Condition{Type: Established, Status: status, Reason: "R", Message: "m", LastTransitionTime: at}
	}
	for _, row := range []struct {
		name     string
		conflict bool
		old      []Condition
		want     Condition
	}{
		{"accepted", false, nil, installing},
		{"not accepted", true, nil, notAccepted},
		{"accepted after it was not", false, []Condition{was("False", later)}, installing},
		{"true stays", false, []Condition{was("True", before)}, was("True", before)},
		{"true stays in a conflict", true, []Condition{was("True", before)}, was("True", before)},
		{"EST-002: and gets a time if it has none", true, []Condition{was("True", time.Time{})}, was("True", later)},
		{"any other stays in a conflict", true, []Condition{was("Unknown", before)}, was("Unknown", before)},
	} {
		t.Run(row.name, func(t *testing.T) {
			var others []*CustomResourceDefinition
			if row.conflict {
				others = append(others, lampDefinition("o.g", Names{}, lampNames()))
			}
			d := lampDefinition("lamps.g", lampNames(), Names{}, row.old...)
			s := d.acceptOnce(others, later)
			require.Equal(t, &row.want, (&CustomResourceDefinition{Status: s}).Condition(Established))
		})
	}
}

// EST-001: the step that establishes.
func TestEstablish(t *testing.T) {
	const initial = "the initial names have been accepted"
	ok := Condition{Type: NamesAccepted, Status: "True"}
	webhook := func(bundle []byte) *Conversion {
		return &Conversion{Strategy: ConversionWebhook, WebhookClientConfig: &WebhookClientConfig{CABundle: bundle}}
	}
	garbage := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("no")})
	established := &Condition{Type: Established, Status: "True", Reason: "InitialNamesAccepted", Message: initial, LastTransitionTime: later}
	badBundle := &Condition{Type: Established, Status: "False", Reason: "InvalidCABundle", Message: "The conversion webhook CABundle is invalid", LastTransitionTime: later}
	for _, row := range []struct {
		name       string
		conversion *Conversion
		conditions []Condition
		want       *Condition
	}{
		{"names accepted", nil, []Condition{ok}, established},
		{"no names yet", nil, nil, nil},
		{"names not accepted", nil, []Condition{{Type: NamesAccepted, Status: "False"}}, nil},
		{"established already", webhook(garbage), []Condition{ok, {Type: Established, Status: "True", Reason: "R"}},
			&Condition{Type: Established, Status: "True", Reason: "R"}},
		{"no webhook", &Conversion{Strategy: ConversionNone}, []Condition{ok}, established},
		{"an empty bundle", webhook(nil), []Condition{ok}, established},
		{"an invalid bundle", webhook([]byte("abc")), []Condition{ok}, badBundle},
		{"an invalid certificate", webhook(garbage), []Condition{ok}, badBundle},
		{"one certificate that can be read", webhook(append(garbage, certificate(t)...)), []Condition{ok}, established},
		{"a strategy that needs no bundle", &Conversion{Strategy: ConversionNone, WebhookClientConfig: &WebhookClientConfig{CABundle: []byte("abc")}},
			[]Condition{ok}, badBundle},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := lampDefinition("lamps.g", lampNames(), lampNames(), row.conditions...)
			d.Spec.Conversion = row.conversion
			require.Equal(t, row.want, (&CustomResourceDefinition{Status: d.establish(later)}).Condition(Established))
		})
	}
}

func certificate(t *testing.T) []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: later}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// NAM-003, EST-001, APP-002, NSC-001: all steps, until nothing changes.
func TestSettle(t *testing.T) {
	t.Run("a definition without conflicts", func(t *testing.T) {
		s := lampDefinition("lamps.g", lampNames("l"), Names{}).Settle(nil, later)
		require.Equal(t, lampNames("l"), s.AcceptedNames)
		require.Equal(t, []Condition{
			accepted("NoConflicts", "no conflicts found"),
			{Type: Established, Status: "True", Reason: "InitialNamesAccepted", Message: "the initial names have been accepted", LastTransitionTime: later},
		}, s.Conditions)
	})
	t.Run("quirk: a second look finds the own plural among the short names", func(t *testing.T) {
		s := lampDefinition("lamps.g", lampNames("lamps", "x"), Names{}).Settle([]*CustomResourceDefinition{lampDefinition("o.g", Names{}, Names{Plural: "x"})}, later)
		require.Equal(t, lampNames(), s.AcceptedNames)
		require.Equal(t, []Condition{
			accepted("ShortNamesConflict", `["lamps" is already in use, "x" is already in use]`),
			{Type: Established, Status: "False", Reason: "NotAccepted", Message: "not all names are accepted", LastTransitionTime: later},
		}, s.Conditions)
	})
	t.Run("approval and structure", func(t *testing.T) {
		d := lampDefinition("lamps.g", lampNames(), Names{})
		d.Spec.Group, d.Spec.PreserveUnknownFields = "g.k8s.io", ptr(true)
		s := d.Settle(nil, later)
		require.Equal(t, []string{NamesAccepted, Established, KubernetesAPIApprovalPolicyConformant, NonStructuralSchema}, types(s))

		d.Status = s
		require.Equal(t, s, d.Settle(nil, later.Add(time.Hour)), "once settled, it stays so")

		d.Spec.PreserveUnknownFields = nil
		require.Equal(t, []string{NamesAccepted, Established, KubernetesAPIApprovalPolicyConformant}, types(d.Settle(nil, later)))
		require.Len(t, d.Status.Conditions, 4, "the argument")
	})
}

func types(s Status) (types []string) {
	for _, c := range s.Conditions {
		types = append(types, c.Type)
	}
	return types
}

// The time is linear in the number of names: 50,000 conflicts are fast. Comparing all pairs would take longer than the
// test allows.
func TestAcceptNamesOfMany(t *testing.T) {
	var short []string
	for i := range 50_000 {
		short = append(short, big.NewInt(int64(i)).String())
	}
	start := time.Now()
	s := lampDefinition("lamps.g", lampNames(short...), Names{}).Settle([]*CustomResourceDefinition{lampDefinition("o.g", Names{}, lampNames(short...))}, later)
	require.Empty(t, s.AcceptedNames.ShortNames)
	require.Less(t, time.Since(start), 5*time.Second)
}

// NAM-002, for random names: an accepted field has the requested or the previous value, without a conflict all names
// are accepted, and a settled status does not change.
func TestSettleRandom(t *testing.T) {
	r := mathrand.New(mathrand.NewPCG(1, 2))
	name := func() string { return string(rune('a' + r.IntN(6))) }
	names := func() Names {
		n := Names{Plural: name(), Singular: name(), Kind: name(), ListKind: name()}
		for range r.IntN(4) {
			n.ShortNames = append(n.ShortNames, name())
		}
		return n
	}
	conflicts := 0
	for range 5000 {
		asked, had := names(), names()
		if r.IntN(3) == 0 {
			had = Names{}
		}
		others := []*CustomResourceDefinition{lampDefinition("a.g", names(), names()), lampDefinition("b.g", names(), names())}
		d := lampDefinition("lamps.g", asked, had)
		d.Status = d.Settle(others, later)
		got := d.Status.AcceptedNames
		for _, f := range [][3]string{{got.Plural, asked.Plural, had.Plural}, {got.Singular, asked.Singular, had.Singular},
			{got.Kind, asked.Kind, had.Kind}, {got.ListKind, asked.ListKind, had.ListKind}} {
			require.Contains(t, f[1:], f[0])
		}
		require.Contains(t, [][]string{asked.ShortNames, had.ShortNames}, got.ShortNames)
		if d.Condition(NamesAccepted) != nil {
			require.Equal(t, jsonval.EqualTyped(got, asked), d.HasCondition(NamesAccepted))
		}
		if !jsonval.EqualTyped(got, asked) {
			conflicts++
		}
		require.Equal(t, d.Status, d.Settle(others, later.Add(time.Hour)))
	}
	require.Greater(t, conflicts, 1000)
	require.Less(t, conflicts, 4990)
}

// A definition that has all its names does not look at those of others.
func TestSettleAlone(t *testing.T) {
	d := &CustomResourceDefinition{Spec: Spec{Group: "example.com", Names: Names{Plural: "a", Kind: "A"}}}
	d.Status = d.Settle(nil, time.Time{})
	var others []*CustomResourceDefinition
	for i := range 1000 {
		o := *d
		o.Metadata = map[string]any{"name": strconv.Itoa(i)}
		others = append(others, &o)
	}
	allocations := func(others []*CustomResourceDefinition) float64 {
		return testing.AllocsPerRun(10, func() { d.Settle(others, time.Time{}) })
	}
	require.Equal(t, allocations(nil), allocations(others))
}

// NAM-010: names that are set by default, and names that are shown.
func TestNamesThatShow(t *testing.T) {
	const document = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"lamps.g"},
		"spec":{"group":"g","names":{"plural":"lamps","kind":"Lamp","shortNames":["l"]},"versions":[{"name":"v1","storage":true}]}}`
	d := must(Parse([]byte(document)))
	require.Equal(t, Names{Plural: "lamps", Singular: "lamp", Kind: "Lamp", ListKind: "LampList", ShortNames: []string{"l"}}, d.Spec.Names)

	other := lampDefinition("lights", Names{}, Names{Plural: "lights", ShortNames: []string{"l"}, Categories: []string{"all"}})
	d.Spec.Names.Categories = []string{"all"}
	d.Status = d.acceptOnce([]*CustomResourceDefinition{other}, time.Time{})
	names := d.AcceptedNames()
	require.Equal(t, "lamps", names.Plural)
	require.Empty(t, names.ShortNames, "the name of another")
	require.Equal(t, []string{"all"}, names.Categories, "categories may be shared")
}
