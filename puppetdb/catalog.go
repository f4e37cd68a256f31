package puppetdb

import (
	"context"
	"encoding/json"
	"fmt"

	"bunraku/puppet/catalog"
)

// Catalog is the catalog of a node that PuppetDB has got last; nil if it has none. It is in the form in which PuppetDB
// keeps catalogs: without what is Sensitive, and with texts for what is no data.
func (c *Client) Catalog(ctx context.Context, name string) (found *catalog.Catalog, err error) {
	query, err := json.Marshal([]any{"=", "certname", name})
	if err != nil {
		return nil, err
	}
	err = c.again(ctx, func() error {
		found = nil
		return c.Query(ctx, Query{Entity: "catalogs", Text: string(query)}, func(row json.RawMessage) error {
			x, err := catalog.Read(row)
			if err != nil {
				return fmt.Errorf("PuppetDB's catalog of %s: %w", name, err)
			}
			found = x
			return nil
		})
	})
	return found, err
}
