package puppetdb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// A Query is one question of /pdb/query/v4.
type Query struct {
	Entity string // nodes, factsets, inventory, resources, catalogs …; "" for a query that names it itself
	Text   string // in PQL, or an array of JSON; "" for all
	// OrderBy are the fields that rows are sorted by.
	OrderBy       []string
	Limit, Offset int // of rows; no limit when zero
}

// Query asks, and hands each row of the answer to a function as it comes in. An error of the function ends it. Nothing
// is known of an answer until Query has returned nil: what was handed on before an error may be a part of it.
func (c *Client) Query(ctx context.Context, q Query, each func(row json.RawMessage) error) error {
	values := url.Values{}
	if q.Text != "" {
		values.Set("query", q.Text)
	}
	if len(q.OrderBy) > 0 {
		type field struct {
			Field string `json:"field"`
		}
		var fields []field
		for _, f := range q.OrderBy {
			fields = append(fields, field{f})
		}
		text, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		values.Set("order_by", string(text))
	}
	if q.Limit > 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Offset > 0 {
		values.Set("offset", strconv.Itoa(q.Offset))
	}
	path := "/pdb/query/v4"
	if q.Entity != "" {
		path += "/" + q.Entity
	}
	answer, err := c.ask(ctx, path, values)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return c.rows(answer.Body, each)
}

// mostAddress is how long a question may be in an address; longer ones are sent in the body.
const mostAddress = 4000

// ask sends a question, long ones by POST.
func (c *Client) ask(ctx context.Context, path string, values url.Values) (*http.Response, error) {
	if len(values.Get("query")) <= mostAddress {
		return c.send(ctx, http.MethodGet, path, values, nil)
	}
	body := map[string]any{}
	for k := range values {
		v := values.Get(k)
		switch k {
		case "query":
			body[k] = v
			if strings.HasPrefix(strings.TrimSpace(v), "[") {
				body[k] = json.RawMessage(v)
			}
		case "order_by":
			body[k] = json.RawMessage(v)
		default:
			n, err := strconv.Atoi(v)
			if err != nil {
				return nil, err
			}
			body[k] = n
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("the query is no JSON: %w", err)
	}
	return c.send(ctx, http.MethodPost, path, nil, text)
}

// rows reads an array row by row. Behind it there is nothing else.
func (c *Client) rows(r io.Reader, each func(row json.RawMessage) error) error {
	limited := &rowReader{r: r, left: mostRow}
	broken := func(n int, err error) error {
		known, is := err.(*Error)
		if !is {
			known = &Error{URL: c.URL(), Err: err, Again: true, Detail: "the answer broke off: " + err.Error()}
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				known.Detail = "the answer is no JSON: " + err.Error()
			}
		}
		if n > 0 {
			known.Detail += fmt.Sprintf(" (after row %d)", n)
		}
		return known
	}
	head := make([]byte, 1)
	for head[0] = ' '; head[0] == ' ' || head[0] == '\n' || head[0] == '\r' || head[0] == '\t'; {
		_, err := io.ReadFull(limited, head)
		if err == io.EOF {
			return &Error{URL: c.URL(), Err: err, Again: true, Detail: "the answer is empty"}
		}
		if err != nil {
			return broken(0, err)
		}
	}
	switch head[0] {
	case '[':
	case '{': // somebody's way to say that there is no answer, with a status that says that there is one
		rest, _ := io.ReadAll(io.LimitReader(limited, 4096)) // what cannot be read is not shown
		return &Error{URL: c.URL(), Detail: "the answer is no list of rows: " + firstLine(append(head, rest...))}
	default: // a page to log in, for instance
		return &Error{URL: c.URL(), Detail: fmt.Sprintf("the answer is no JSON of PuppetDB's: it begins with %q", head),
			Help: "--puppetdb names PuppetDB itself, no proxy that wants more than that"}
	}
	d := json.NewDecoder(io.MultiReader(bytes.NewReader(head), limited))
	if _, err := d.Token(); err != nil {
		return broken(0, noEOF(err))
	}
	n := 0
	for ; d.More(); n++ {
		var row json.RawMessage
		limited.left = mostRow
		if err := d.Decode(&row); err != nil {
			return broken(n, noEOF(err))
		}
		if err := each(row); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return broken(n, noEOF(err))
	}
	if _, err := d.Token(); err == nil {
		return &Error{URL: c.URL(), Again: true,
			Detail: fmt.Sprintf("there is more behind the answer's end (after row %d)", n)}
	} else if err != io.EOF {
		return broken(n, err)
	}
	return nil
}

// strange is a row that is none of its kind.
func (c *Client) strange(entity string, row json.RawMessage, why string) error {
	return &Error{URL: c.URL(), Detail: fmt.Sprintf("%s is described in a way that is not known, without %s: %s", entity,
		why, firstLine(row))}
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A rowReader refuses rows that are too long. The decoder reads ahead, so that a row may be found a little shorter than
// it is.
type rowReader struct {
	r    io.Reader
	left int64
}

func (r *rowReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, fmt.Errorf("a row is longer than %d bytes", mostRow)
	}
	return n, err
}
