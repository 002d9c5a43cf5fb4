package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// SEL-005: the forms of a requirement, and how a server writes them.
func TestParseLabels(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"blanks", " \t\r\n", ""},
		{"equal", "a=b", "a=b"},
		{"two equals signs stay", "a==b", "a==b"},
		{"unequal", "a!=b", "a!=b"},
		{"in", "a in (x,y)", "a in (x,y)"},
		{"values are sorted, each once", "a in (y,x,y)", "a in (x,y)"},
		{"not in", "a notin (x)", "a notin (x)"},
		{"there", "a", "a"},
		{"not there", "!a", "!a"},
		{"greater", "a>1", "a>1"},
		{"less", "a<007", "a<007"},
		{"by key", "c,a=1,b in (x)", "a=1,b in (x),c"},
		{"empty value", "a=", "a="},
		{"empty value before a comma", "a!=,b", "a!=,b"},
		{"no value in parentheses", "a in ()", "a in ()"},
		{"empty values in parentheses", "a in (,x,)", "a in (,x)"},
		{"blanks around everything", "\ta\n in\r( x , y ) , ! b ", "a in (x,y),!b"},
		{"no blank before the parenthesis", "a in(x)", "a in (x)"},
		{"words as keys and values", "in in (in,notin),notin=in,in", "in in (in,notin),in,notin=in"},
		{"prefixed key", "example.com/tier=front", "example.com/tier=front"},
		{"zero byte at the end of a word", "a\x00=b", "a=b"},
		{"zero byte elsewhere ends the text", "a=b,c\x00\x00,!!", "a=b,c"},
	} {
		t.Run(row.name, func(t *testing.T) {
			l, err := ParseLabels(row.text)
			require.NoError(t, err)
			require.Equal(t, row.want, l.String())
			require.Equal(t, row.want == "", l.Empty())
		})
	}
}

const (
	nameText = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
		"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	valueText = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
		"alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
		"'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
	integerText = "for 'Gt', 'Lt' operators, the value must be an integer"
)

// SEL-005: the error texts of a server, recorded from the reference.
func TestParseLabelsErrors(t *testing.T) {
	long := strings.Repeat("k", 64)
	for _, row := range []struct{ text, want string }{
		{"=a", "found '=', expected: !, identifier, or 'end of string'"},
		{",", "found ',', expected: !, identifier, or 'end of string'"},
		{"a,", "found '', expected: identifier after ','"},
		{"a,,b", "found ',', expected: identifier after ','"},
		{"a=b c", "found 'c', expected: ',' or 'end of string'"},
		{"a=b=c", "found '=', expected: ',' or 'end of string'"},
		{"!a=b", "found '=', expected: ',' or 'end of string'"},
		{"!", "unable to parse requirement: found '', expected: identifier"},
		{"!!a", "unable to parse requirement: found '!', expected: identifier"},
		{"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
		{"a !b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"},
		{"a=(", "unable to parse requirement: found '(', expected: identifier"},
		{"a==!b", "unable to parse requirement: found '!', expected: identifier"},
		{"a in x", "unable to parse requirement: found 'x' expected: '('"},
		{"a in", "unable to parse requirement: found '' expected: '('"},
		{"a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"},
		{"a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"},
		{"a in (x", "unable to parse requirement: found '', expected: ',' or ')'"},
		{"a in (x y)", "unable to parse requirement: found 'y', expected: ',' or ')'"},
		{"a in (x,", "unable to parse requirement: found '', expected: ',', or identifier"},
		{"a in (,=)", "unable to parse requirement: found '=', expected: ',', or identifier"},
		{"-a=b", `unable to parse requirement: <nil>: Invalid value: "-a": ` + nameText},
		{"/a", `unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty`},
		{long + ",!", `unable to parse requirement: <nil>: Invalid value: "` + long + `": name part must be no more than 63 bytes`},
		{"a=-b", `unable to parse requirement: values[0][a]: Invalid value: "-b": ` + valueText},
		{"a in (z,-b)", `unable to parse requirement: values[0][a]: Invalid value: "-b": ` + valueText},
		{"a in (-b,_)", `unable to parse requirement: [values[0][a]: Invalid value: "-b": ` + valueText + `, values[1][a]: Invalid value: "_": ` + valueText + "]"},
		{"a>x", `unable to parse requirement: values[0]: Invalid value: "x": ` + integerText},
		{"a>", `unable to parse requirement: values[0]: Invalid value: "": ` + integerText},
		{"a<9223372036854775808", `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": ` + integerText},
		{"a<-1", `unable to parse requirement: values[0][a]: Invalid value: "-1": ` + valueText},
		{"a>-", `unable to parse requirement: [values[0]: Invalid value: "-": ` + integerText + `, values[0][a]: Invalid value: "-": ` + valueText + "]"},
		{"a>>1", "unable to parse requirement: found '>', expected: identifier"},
	} {
		t.Run(row.text, func(t *testing.T) {
			_, err := ParseLabels(row.text)
			require.EqualError(t, err, row.want)
		})
	}
}

// SEL-005: matching. Negative requirements also select objects without the label.
func TestLabelsMatches(t *testing.T) {
	labels := map[string]any{"tier": "front", "n": "10", "empty": "", "null": nil}
	for _, row := range []struct {
		text string
		want bool
	}{
		{"", true},
		{"tier=front", true},
		{"tier==back", false},
		{"tier=front,n=9", false},
		{"absent=", false},
		{"empty=", true},
		{"null=", true},
		{"tier!=back", true},
		{"tier!=front", false},
		{"absent!=front", true},
		{"tier in (back,front)", true},
		{"tier in (back)", false},
		{"absent in (,front)", false},
		{"empty in ()", true},
		{"tier notin (back)", true},
		{"tier notin (a,front,z)", false},
		{"absent notin (front)", true},
		{"tier", true},
		{"null", true},
		{"absent", false},
		{"!tier", false},
		{"!absent", true},
		{"n>9", true},
		{"n>10", false},
		{"n<11", true},
		{"n<10", false},
		{"tier>0", false},
		{"empty<1", false},
		{"absent<1", false},
	} {
		l, err := ParseLabels(row.text)
		require.NoError(t, err, row.text)
		require.Equal(t, row.want, l.Matches(labels), row.text)
	}
}

func TestLabelsOf(t *testing.T) {
	for _, row := range []struct {
		name string
		obj  map[string]any
		want map[string]any
	}{
		{"no object", nil, nil},
		{"no metadata", map[string]any{}, nil},
		{"metadata of another type", map[string]any{"metadata": "x"}, nil},
		{"labels of another type", map[string]any{"metadata": map[string]any{"labels": []any{"a"}}}, nil},
		{"labels", map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}}, map[string]any{"a": "b"}},
		{"a null is an empty label", map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": nil}}}, map[string]any{"a": nil}},
		{"a number makes all of them none", map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b", "c": int64(1)}}}, nil},
	} {
		require.Equal(t, row.want, LabelsOf(row.obj), row.name)
	}
}

// A random selector is built from simple requirements, and compared with the selector parsed from its text.
func TestLabelsRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	matched := 0
	for range 20_000 {
		labels := map[string]any{}
		for range r.IntN(4) {
			labels[pick("a", "b", "in")] = pick("", "x", "y", "1", "2", "in")
		}
		want := true
		var texts []string
		for range 1 + r.IntN(3) {
			key, blank := pick("a", "b", "in"), pick("", " ", "\t\n")
			value, has := labels[key].(string)
			n, err := strconv.Atoi(value)
			var values []string
			for range 1 + r.IntN(3) {
				values = append(values, pick("", "x", "y", "1", "2", "in"))
			}
			bound := r.IntN(4)
			text, holds := "", false
			switch r.IntN(7) {
			case 0:
				text, holds = key, has
			case 1:
				text, holds = "!"+blank+key, !has
			case 2:
				text, holds = key+blank+pick("=", "==")+blank+values[0], has && value == values[0]
			case 3:
				text, holds = key+blank+"!="+blank+values[0], !has || value != values[0]
			case 4:
				text, holds = key+" in"+blank+"("+strings.Join(values, blank+","+blank)+")", has && slices.Contains(values, value)
			case 5:
				text, holds = key+" notin ("+strings.Join(values, ",")+")"+blank, !has || !slices.Contains(values, value)
			default:
				if bound%2 == 0 {
					text, holds = fmt.Sprint(key, "<", bound), has && err == nil && n < bound
				} else {
					text, holds = fmt.Sprint(key, ">", bound), has && err == nil && n > bound
				}
			}
			texts, want = append(texts, text), want && holds
		}
		text := strings.Join(texts, pick(",", " , "))
		l, err := ParseLabels(text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, l.Matches(labels), "%q %v", text, labels)
		again, err := ParseLabels(l.String())
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, again.Matches(labels), "%q %v", text, labels)
		if want {
			matched++
		}
	}
	require.Greater(t, matched, 2_000)
}

func FuzzParseLabels(f *testing.F) {
	for _, s := range []string{"", "a=b", "a in (x,,y),!b", "a notin ()", "in in (in)", "a>5,b<7", "a=b,", "a\x00b", "!", "a==\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLabels(text)
		if err != nil {
			require.True(t, l.Empty())
			require.NotEmpty(t, err.Error())
			return
		}
		written := l.String()
		again, err := ParseLabels(written)
		require.NoError(t, err, "%q", written)
		require.Equal(t, l, again, "%q", written)
		require.Equal(t, l.Empty(), written == "")
	})
}

func BenchmarkLabelsMatches(b *testing.B) {
	l, err := ParseLabels("tier in (front,back),!legacy,n>5")
	require.NoError(b, err)
	labels := map[string]any{"tier": "front", "n": "10"}
	b.ReportAllocs()
	for b.Loop() {
		l.Matches(labels)
	}
}
