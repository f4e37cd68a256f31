package puppetdb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/exported"
	"bunraku/puppet/value"
)

// An Importer lets nodes collect what is exported according to a PuppetDB. Each question is asked once, for all nodes:
// which of them asks is told apart here.
type Importer struct {
	ctx    context.Context
	client *Client

	mu    sync.Mutex
	asked map[string]func() ([]*exported.Resource, error)
}

// NewImporter makes an importer whose questions end with a context.
func (c *Client) NewImporter(ctx context.Context) *Importer {
	return &Importer{ctx: ctx, client: c, asked: map[string]func() ([]*exported.Resource, error){}}
}

// Digest implements exported.Importer: what a PuppetDB answers now it need not answer tomorrow.
func (i *Importer) Digest() string { return fmt.Sprintf("PuppetDB %p", i) }

// Exported implements exported.Importer.
func (i *Importer) Exported(host string, q *exported.Query) ([]*exported.Resource, error) {
	filter, err := q.Text()
	if err != nil {
		return nil, err
	}
	key := q.Type + " " + filter
	i.mu.Lock()
	once := i.asked[key]
	if once == nil {
		once = sync.OnceValues(func() ([]*exported.Resource, error) { return i.client.exported(i.ctx, q.Type, filter) })
		i.asked[key] = once
	}
	i.mu.Unlock()
	all, err := once()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(r *exported.Resource) bool { return r.Certname == host }), nil
}

// exported asks for exported resources of all nodes.
func (c *Client) exported(ctx context.Context, typ, filter string) (all []*exported.Resource, err error) {
	query := []any{"and", []any{"=", "type", typ}, []any{"=", "exported", true}}
	if filter != "" {
		query = append(query, json.RawMessage(filter))
	}
	text, err := json.Marshal(query)
	if err != nil {
		return nil, err
	}
	err = c.again(ctx, func() error {
		all = nil
		return c.Query(ctx, Query{Entity: "resources", Text: string(text)}, func(row json.RawMessage) error {
			r, err := readResource(row)
			if err == nil {
				all = append(all, r)
			}
			return err
		})
	})
	// PuppetDB hands them out in any order.
	slices.SortFunc(all, func(a, b *exported.Resource) int {
		if d := strings.Compare(a.Certname, b.Certname); d != 0 {
			return d
		}
		return strings.Compare(a.Title, b.Title)
	})
	return all, err
}

// readResource reads a row of the endpoint resources.
func readResource(row json.RawMessage) (*exported.Resource, error) {
	var x struct {
		Certname, Type, Title, File string
		Line                        int
		Tags                        []string
		Parameters                  json.RawMessage
	}
	if err := json.Unmarshal(row, &x); err != nil {
		return nil, fmt.Errorf("PuppetDB describes a resource in a way that is not known: %w", err)
	}
	r := &exported.Resource{Certname: x.Certname, Type: x.Type, Title: x.Title, Tags: x.Tags, File: x.File, Line: x.Line}
	d := json.NewDecoder(bytes.NewReader(x.Parameters))
	d.UseNumber()
	var params map[string]any
	if err := d.Decode(&params); err != nil {
		return nil, err
	}
	h := exported.FromJSON(params).(*value.Hash)
	for _, e := range h.Entries() {
		r.Params = append(r.Params, exported.Param{Name: string(e.Key.(value.String)), Value: e.Value})
	}
	return r, nil
}
