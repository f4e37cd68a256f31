package puppetdb

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/catalog"
	"bunraku/puppet/exported"
	"bunraku/puppet/value"
)

// An Importer lets nodes collect what is exported according to a PuppetDB, and answers puppetdb_query. Each question is
// asked once, for all nodes: which of them asks is told apart here.
type Importer struct {
	ctx    context.Context
	client *Client

	mu    sync.Mutex
	asked map[string]func() ([]*exported.Resource, error)
	query map[string]func() (value.Value, error)
}

// NewImporter makes an importer whose questions end with a context.
func (c *Client) NewImporter(ctx context.Context) *Importer {
	return &Importer{ctx: ctx, client: c, asked: map[string]func() ([]*exported.Resource, error){},
		query: map[string]func() (value.Value, error){}}
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

// Ask answers a query, in PQL or as an array of JSON: a list of rows.
func (i *Importer) Ask(query string) (value.Value, error) {
	i.mu.Lock()
	once := i.query[query]
	if once == nil {
		once = sync.OnceValues(func() (value.Value, error) { return i.client.values(i.ctx, query) })
		i.query[query] = once
	}
	i.mu.Unlock()
	return once()
}

// mostRows is how many rows a query of a manifest may be answered with.
const mostRows = 1_000_000

// values is the answer to a query as Puppet's values.
func (c *Client) values(ctx context.Context, query string) (v value.Value, err error) {
	err = c.again(ctx, func() error {
		b := value.NewArrayBuilder(0)
		rows := 0
		err := c.Query(ctx, Query{Text: query}, func(row json.RawMessage) error {
			if rows++; rows > mostRows {
				return &Error{URL: c.URL(), Detail: fmt.Sprintf("a query of a manifest has more than %d rows", mostRows)}
			}
			x, err := catalog.ReadExact(row)
			if err == nil {
				b.Add(x)
			}
			return err
		})
		v = b.Array()
		return err
	})
	return v, err
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
	params, err := catalog.ReadExact(x.Parameters) // in their order
	if err != nil {
		return nil, err
	}
	h, is := params.(*value.Hash)
	if !is {
		return nil, fmt.Errorf("PuppetDB describes a resource in a way that is not known: %.200s", row)
	}
	for _, e := range h.Entries() {
		r.Params = append(r.Params, exported.Param{Name: string(e.Key.(value.String)), Value: e.Value})
	}
	return r, nil
}
