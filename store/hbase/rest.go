// Package hbase stores one article per docId in Apache HBase, through HBase's own REST gateway with protobuf
// bodies.
package hbase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// errStatus is an unsuccessful answer of the gateway.
type errStatus struct {
	code int
	text string
}

func (e errStatus) Error() string { return fmt.Sprintf("gateway answered %d: %s", e.code, e.text) }

// dial parses addresses host:port, separated by commas. It does not connect.
func dial(addrs string) (*gateways, error) {
	g := &gateways{http: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second, ResponseHeaderTimeout: callTime,
	}}}
	for _, a := range strings.Split(addrs, ",") {
		u, err := url.Parse("http://" + a)
		if err != nil || u.Host == "" || u.Path != "" {
			return nil, fmt.Errorf("gateway %q: invalid (want HOST:PORT)", a)
		}
		g.all = append(g.all, &gateway{base: "http://" + u.Host})
	}
	g.next.Store(rand.Uint32())
	return g, nil
}

// close waits for canceled requests.
func (g *gateways) close() {
	g.work.Wait()
	g.http.CloseIdleConnections()
}

const protobuf = "application/x-protobuf"

// answerLimit limits the size of an answer.
const answerLimit = 256 << 20

func (g *gateways) ask(ctx context.Context, method, url string, body []byte) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, callTime, errSilent)
	defer cancel()
	a, err := g.exchange(ctx, method, url, body)
	if err != nil && context.Cause(ctx) == errSilent { // the deadline of the caller has not passed
		err = fmt.Errorf("%s: %w", url, errSilent)
	}
	return a, err
}

var errSilent = fmt.Errorf("no answer in %s", callTime)

func (g *gateways) exchange(ctx context.Context, method, url string, body []byte) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Accept", protobuf)
	if body != nil {
		req.Header.Set("Content-Type", protobuf)
	}
	resp, err := g.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return answer{}, fmt.Errorf("read the gateway's answer: %w", err)
	}
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch {
	case resp.StatusCode == http.StatusNotFound && !bytes.HasPrefix(b, []byte("Not found")) && !bytes.HasPrefix(b, []byte("No rows found")),
		resp.StatusCode < 300 && len(b) > 0 && kind != protobuf:
		return answer{}, fmt.Errorf("%s: not a REST gateway of HBase: it answered %d with %q", req.URL.Host, resp.StatusCode, kind)
	case resp.StatusCode >= 300:
		return answer{}, errStatus{resp.StatusCode, cut(b)}
	}
	return answer{b, resp.Header}, nil
}

// cut returns the first line of an error page.
func cut(page []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(page)), "\n")
	return line[:min(len(line), 200)]
}

func absent(err error) bool {
	var status errStatus
	return errors.As(err, &status) && status.code == http.StatusNotFound
}

// ensure creates a table unless it exists. The table is compressed and stores one version per cell. The gateway cannot
// split a new table (see deploy.md).
func (g *gateways) ensure(ctx context.Context, table string, families ...string) error {
	_, err := g.call(ctx, http.MethodGet, "/"+table+"/schema", nil)
	if err == nil || !absent(err) {
		return err
	}
	_, err = g.call(ctx, http.MethodPut, "/"+table+"/schema", schema(table, families))
	if err == nil {
		return nil
	}
	// Another process may have created it at the same time.
	if _, again := g.call(ctx, http.MethodGet, "/"+table+"/schema", nil); again == nil {
		return nil
	}
	return fmt.Errorf("create table %q: %w", table, err)
}

// put writes cells of any rows in one request. After an error none, some or all may be stored, and the same cells can be
// put again.
func (g *gateways) put(ctx context.Context, table string, cells []cell) error {
	if len(cells) == 0 {
		return nil
	}
	_, err := g.call(ctx, http.MethodPut, "/"+table+"/rows", cellSet(cells))
	if absent(err) {
		return fmt.Errorf("table %q: it was removed (the next start of a server creates it): %w", table, err)
	}
	return err
}

// get reads the cells of a row, or of one of its columns. It returns none for an absent row.
func (g *gateways) get(ctx context.Context, table, row, column string) ([]cell, error) {
	path := "/" + table + "/" + url.PathEscape(row)
	if column != "" {
		path += "/" + column
	}
	return g.cells(ctx, table, path)
}

// multiget reads the cells of several rows, of one column or of all. It omits absent rows.
func (g *gateways) multiget(ctx context.Context, table, column string, rows []string) ([]cell, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	q := url.Values{}
	for _, r := range rows {
		if column != "" {
			r += "/" + column
		}
		q.Add("row", r)
	}
	return g.cells(ctx, table, "/"+table+"/multiget?"+q.Encode())
}

// cells reads the cells that a path names, or none. It returns none only after as many such answers as there are
// gateways. The requests rotate over the gateways.
func (g *gateways) cells(ctx context.Context, table, path string) ([]cell, error) {
	for range g.all {
		a, err := g.one(ctx, func(ctx context.Context, base string) (answer, error) { return g.read(ctx, base, table, path) })
		if err == nil {
			return parseCells(a.body)
		}
		if !absent(err) {
			return nil, err
		}
	}
	return nil, nil
}

// read reads the cells of a path through one gateway. A gateway answers 404 for an absent row, but also for a
// row that it cannot read (HBase's RowResultGenerator drops every DoNotRetryIOException). Its table may be
// disabled, unknown or forbidden. A gateway takes no cells for such a table, so read puts one and reads again.
func (g *gateways) read(ctx context.Context, base, table, path string) (answer, error) {
	a, err := g.ask(ctx, http.MethodGet, base+path, nil)
	if !absent(err) {
		return a, err
	}
	if _, err := g.ask(ctx, http.MethodPut, base+"/"+table+"/rows", cellSet(probeCells)); err != nil {
		return answer{}, fmt.Errorf("table %q: the gateway cannot read it: %v", table, err) // no %w, because the row is not absent
	}
	return g.ask(ctx, http.MethodGet, base+path, nil)
}

// scan visits the cells of a column in rows from <= row < to ("" is unbounded), in order. A scanner belongs to
// one gateway, so each page opens its own scanner after the last row.
func (g *gateways) scan(ctx context.Context, table, column, from, to string, visit func(cell) error) error {
	for {
		page, err := g.page(ctx, table, column, from, to)
		if err != nil {
			return err
		}
		for _, c := range page {
			if err := visit(c); err != nil {
				return err
			}
		}
		if len(page) == 0 {
			return nil
		}
		from = page[len(page)-1].row + "\x00"
	}
}

const scanRows = 500

// page returns one page of a scan. One gateway handles all its requests.
func (g *gateways) page(ctx context.Context, table, column, from, to string) ([]cell, error) {
	read := func(ctx context.Context, base string) (answer, error) {
		opened, err := g.ask(ctx, http.MethodPut, base+"/"+table+"/scanner", scanner(column, from, to, scanRows))
		if err != nil {
			return answer{}, err
		}
		at := opened.header.Get("Location")
		u, err := url.Parse(at)
		if err != nil || at == "" {
			return answer{}, fmt.Errorf("the gateway opened no scanner: %q", at)
		}
		rows, err := g.ask(ctx, http.MethodGet, base+u.Path+"?n="+fmt.Sprint(scanRows), nil)
		_, _ = g.ask(context.WithoutCancel(ctx), http.MethodDelete, base+u.Path, nil)
		return rows, err
	}
	a, err := g.one(ctx, func(ctx context.Context, base string) (answer, error) {
		a, err := read(ctx, base)
		if status := (errStatus{}); errors.As(err, &status) && status.code == http.StatusGone { // the gateway lost the scanner, so open another
			a, err = read(ctx, base)
		}
		return a, err
	})
	if err != nil {
		return nil, err
	}
	return parseCells(a.body)
}
