package puppetdb

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A Command changes what a PuppetDB knows of a node.
type Command struct {
	Name     string // replace_facts, replace_catalog, store_report, deactivate_node …
	Version  int    // of the payload
	Certname string
	Produced time.Time       // when the payload was made: an older one does not replace a newer
	Payload  json.RawMessage // as the command's format says
}

// Versions of the commands' payloads that PuppetDB 6 to 8 understand.
const (
	FactsVersion      = 5
	CatalogVersion    = 9
	ReportVersion     = 8
	DeactivateVersion = 3
)

// Command sends a command. It is in PuppetDB's queue when there is no error, under the name that is given back, and not
// stored yet.
func (c *Client) Command(ctx context.Context, cmd Command) (uuid string, err error) {
	values := url.Values{"command": {cmd.Name}, "version": {strconv.Itoa(cmd.Version)}, "certname": {cmd.Certname}}
	if !cmd.Produced.IsZero() {
		values.Set("producer-timestamp", cmd.Produced.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	answer, err := c.send(ctx, http.MethodPost, "/pdb/cmd/v1", values, cmd.Payload)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var said struct {
		UUID string `json:"uuid"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<16)).Decode(&said); err != nil {
		return "", &Error{URL: c.URL(), Detail: "the answer to a command is none: " + err.Error(), Again: true, Err: err}
	}
	return said.UUID, nil
}
