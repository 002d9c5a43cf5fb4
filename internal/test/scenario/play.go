package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// A Player sends the requests of scenarios to a server.
type Player struct {
	Client *http.Client
	Base   string // the server's URL
	// Group replaces the group of the definition, so that scenarios do not meet. Groups of the same length have the
	// same answers.
	Group string
	// Hook is called by the server to convert objects; nil if no scenario needs it.
	Hook *Hook
}

// Play sends the requests one after another and returns the answers, of which there are fewer if the definition is
// refused. At the end it deletes the definition.
func (p Player) Play(ctx context.Context, s Scenario) ([]Answer, error) {
	state := player{p, map[string]string{}}
	defer state.clean(ctx)
	var answers []Answer
	for i, r := range s.Requests {
		a, err := state.ask(ctx, r)
		if err != nil {
			return answers, fmt.Errorf("%s, request %d: %w", s.Name, i, err)
		}
		answers = append(answers, a)
		switch {
		case !strings.HasPrefix(r.Path, definitions) || !bytes.Contains(r.Body, []byte(`"versions"`)) || strings.Contains(r.Path, "dryRun"):
			continue
		case a.Code < 300:
		case r.Method == http.MethodPost:
			return answers, nil
		default:
			continue
		}
		if err := state.served(ctx, r.Body); err != nil {
			return answers, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return answers, nil
}

// deleting matches definitions in the first states of a deletion.
var deleting = regexp.MustCompile(`"kind":"CustomResourceDefinition".*"reason":"InstanceDeletion(Pending|InProgress)"`)

type player struct {
	Player
	versions map[string]string // the resourceVersions of objects, by path
}

func (p player) ask(ctx context.Context, r Request) (Answer, error) {
	to, back := []string{Group, p.Group}, []string{p.Group, Group}
	if p.Hook != nil {
		to, back = append(to, hookHost, p.Hook.host, hookCA, p.Hook.ca), append(back, p.Hook.host, hookHost, p.Hook.ca, hookCA)
	}
	body, recorded := []byte(strings.NewReplacer(to...).Replace(string(r.Body))), strings.NewReplacer(back...)
	path := strings.ReplaceAll(r.Path, Group, p.Group)
	placeholder := []byte(`"resourceVersion":"@"`)
	name := objectPath(path)
	if bytes.Contains(body, placeholder) {
		if strings.HasPrefix(name, definitions) { // changed by the server's controllers
			if _, _, err := p.send(ctx, http.MethodGet, name, "", nil); err != nil {
				return Answer{}, err
			}
		}
		current, _ := json.Marshal(map[string]string{"resourceVersion": p.versions[name]})
		body = bytes.ReplaceAll(body, placeholder, bytes.Trim(current, "{}"))
	}
	for attempts := 200; ; attempts-- {
		response, text, err := p.send(ctx, r.Method, path, r.ContentType, body)
		if err != nil {
			return Answer{}, err
		}
		// A server's storage is being set up, or a definition's objects are being deleted.
		busy := response.StatusCode == http.StatusTooManyRequests && !bytes.Contains(text, []byte("failed to list")) || r.Method == http.MethodGet && deleting.Match(text)
		if busy && attempts > 0 {
			select {
			case <-ctx.Done():
				return Answer{}, ctx.Err()
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		warnings := response.Header.Values("Warning")
		for i, w := range warnings {
			warnings[i] = recorded.Replace(w)
		}
		text = []byte(recorded.Replace(string(text)))
		if p.Hook != nil {
			text = p.Hook.settled(text)
		}
		return answerOf(response.StatusCode, warnings, text), nil
	}
}

// send sends a request, and remembers the resourceVersion of the object in the answer.
func (p player) send(ctx context.Context, method, path, contentType string, body []byte) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, p.Base+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("User-Agent", "scenario")
	request.Header.Set("Accept", "application/json")
	if strings.Contains(path, "as=Table") {
		request.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := p.Client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, err
	}
	var object struct {
		Metadata struct{ Name, ResourceVersion string }
	}
	if response.StatusCode < 300 && !strings.Contains(path, "dryRun") && json.Unmarshal(text, &object) == nil && object.Metadata.ResourceVersion != "" {
		name := objectPath(path)
		if method == http.MethodPost {
			name += "/" + object.Metadata.Name
		}
		p.versions[name] = object.Metadata.ResourceVersion
	}
	return response, text, nil
}

// objectPath returns a path without its query and subresource, and without the version, which all objects share.
func objectPath(path string) string {
	if u, err := url.Parse(path); err == nil {
		path = u.Path
	}
	path = strings.TrimSuffix(strings.TrimSuffix(path, "/status"), "/scale")
	parts := strings.Split(path, "/")
	if !strings.HasPrefix(path, definitions) && len(parts) > 3 {
		parts[3] = ""
	}
	return strings.Join(parts, "/")
}

// served waits until each served version of a definition is served.
func (p player) served(ctx context.Context, definition []byte) error {
	var d struct {
		Spec struct {
			Names    struct{ Plural string }
			Versions []struct {
				Name   string
				Served bool
			}
		}
	}
	if err := json.Unmarshal(definition, &d); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, v := range d.Spec.Versions {
		for v.Served {
			response, _, err := p.send(ctx, http.MethodGet, "/apis/"+p.Group+"/"+v.Name+"/"+d.Spec.Names.Plural+"?limit=1", "", nil)
			if err != nil {
				return fmt.Errorf("version %s is not served: %w", v.Name, err)
			}
			// A stored object that cannot be read does not matter.
			if response.StatusCode != http.StatusNotFound && response.StatusCode != http.StatusServiceUnavailable &&
				response.StatusCode != http.StatusTooManyRequests {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return nil
}

func (p player) clean(ctx context.Context) {
	_, _, _ = p.send(context.WithoutCancel(ctx), http.MethodDelete, definitions+"/ks."+p.Group, "", nil)
}
