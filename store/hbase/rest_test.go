package hbase

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
)

// TestGateway starts HBase once.
func TestGateway(t *testing.T) {
	h := services.StartHBase(t)
	t.Run("cells", func(t *testing.T) { cellsKept(t, h) })
	t.Run("disabled", func(t *testing.T) { tableDisabled(t, h) })
}

// cellsKept checks that a cell with an older timestamp never hides a newer one, in any order.
func cellsKept(t *testing.T, h services.HBase) {
	ctx := t.Context()
	dead := services.FreeAddr(t)
	g, err := dial(dead + "," + h.Gateway.Addr) // one is down
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	for range 2 {
		if err := g.ensure(ctx, "cells", "a", "l"); err != nil {
			t.Fatal(err)
		}
	}
	big := strings.Repeat("海量网络文本", 20_000)
	var cells []cell
	for i := range 1200 {
		cells = append(cells, cell{fmt.Sprintf("%04d", i), "a:article", 7, []byte(fmt.Sprint(i))})
	}
	cells = append(cells, cell{"big", "a:article", 1, []byte(big)}, cell{"0001", "a:article", 6, []byte("older")},
		cell{"0001", "l:leader", 6, []byte("leader")})
	for range 2 { // delivered twice
		if err := g.put(ctx, "cells", cells); err != nil {
			t.Fatal(err)
		}
	}
	got, err := g.get(ctx, "cells", "0001", "a:article")
	if want := []cell{{"0001", "a:article", 7, []byte("1")}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := g.get(ctx, "cells", "0001", ""); err != nil || len(got) != 2 {
		t.Errorf("whole row: %v, %v", got, err)
	}
	if got, err := g.get(ctx, "cells", "none", ""); err != nil || got != nil {
		t.Errorf("a row that is not there: %v, %v", got, err)
	}
	if got, err := g.get(ctx, "cells", "big", "a:article"); err != nil || len(got) != 1 || string(got[0].data) != big {
		t.Errorf("a big cell: %d cells, %v", len(got), err)
	}
	if got, err := g.multiget(ctx, "cells", "a:article", []string{"0002", "none", "0003"}); err != nil || len(got) != 2 {
		t.Errorf("multiget: %v, %v", got, err)
	}
	n, stop := 0, errors.New("stop")
	if err := g.scan(ctx, "cells", "a:article", "0100", "big", func(c cell) error {
		if want := fmt.Sprintf("%04d", 100+n); c.row != want {
			t.Errorf("row %q, want %q", c.row, want)
			return stop
		}
		n++
		return nil
	}); err != nil || n != 1100 {
		t.Errorf("scanned %d, %v", n, err)
	}
	if _, err := g.get(ctx, "nothere", "x", ""); err == nil || absent(err) {
		t.Errorf("a table that is not there: %v", err)
	}
}

// tableDisabled checks that a disabled table is not taken for an empty one, although its gateway answers 404
// for each row. Otherwise everything would be delivered again.
func tableDisabled(t *testing.T, h services.HBase) {
	address := "hbase+http://" + h.Gateway.Addr + "/disabled"
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	heat := delivery(2, docid.KeptReheated, "")
	heat.DocID, heat.NID, heat.Article = delivery(1, 0, "").DocID, "n1", &docid.Article{Heat: 9}
	heat.Article.Text = "one"
	heat.Article.ID = "n1"
	if err := s.Apply(t.Context(), "t", []docid.Delivery{delivery(1, docid.KeptReplaced, "one")}); err != nil {
		t.Fatal(err)
	}
	if at, err := s.Cursor(t.Context(), "t"); err != nil || at != 1 {
		t.Fatalf("cursor %d, %v", at, err)
	}
	switched := func(off bool) {
		t.Helper()
		if err := h.Disable("disabled", off); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			cells, err := s.g.get(t.Context(), "disabled", cursorRow("t"), cursor)
			if (off && err != nil) || (!off && len(cells) > 0) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("not switched: %v, %v", cells, err)
			}
		}
	}
	switched(true)
	short, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if at, err := s.Cursor(short, "t"); err == nil {
		t.Errorf("the cursor in a disabled table is %d", at)
	}
	if err := s.Apply(short, "t", []docid.Delivery{heat}); err == nil {
		t.Error("a disabled table takes a change of heat")
	}
	if again, err := Open(short, address); err == nil {
		again.Close()
		t.Error("a disabled table is opened")
	}
	switched(false)
	if err := s.Apply(t.Context(), "t", []docid.Delivery{heat}); err != nil {
		t.Fatal(err)
	}
	if at, err := s.Cursor(t.Context(), "t"); err != nil || at != 2 {
		t.Errorf("the cursor afterwards is %d, %v", at, err)
	}
	if a, err := s.Get(t.Context(), heat.DocID); err != nil || a.Heat != 9 || a.Content != "one" {
		t.Errorf("the article afterwards: %+v, %v", a, err)
	}
}

// TestAbsent checks a gateway that answers 404 for a row that it cannot read. The row counts as absent only if
// the gateway takes cells for the table and the other gateway also answers 404.
func TestAbsent(t *testing.T) {
	const knows, cannot, wakes, blind, empty, dead = "has the row", "cannot read the table", "reads after a write", "writes and does not find it", "has no such row", "is dead"
	row := []cell{{"row", "a:article", 7, []byte("text")}}
	start := func(kind string) string {
		var put atomic.Bool
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", protobuf)
			switch {
			case kind == dead:
				panic(http.ErrAbortHandler)
			case r.Method == http.MethodPut && kind == cannot, r.Method == http.MethodGet && kind != knows && (kind != wakes || !put.Load()):
				w.Header().Set("Content-Type", "text/plain")
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, "Not found\r\n")
			case r.Method == http.MethodPut:
				put.Store(true)
			default:
				_, _ = w.Write(cellSet(row))
			}
		}))
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	for _, test := range []struct {
		gateways []string
		rows     int
		fails    bool
	}{
		{[]string{knows}, 1, false},
		{[]string{empty}, 0, false},
		{[]string{cannot}, 0, true},
		{[]string{wakes}, 1, false},
		{[]string{cannot, knows}, 1, false},
		{[]string{blind, knows}, 1, false},
		{[]string{cannot, cannot}, 0, true},
		{[]string{empty, empty}, 0, false},
		{[]string{empty, dead}, 0, false},
		{[]string{empty, cannot}, 0, false},
		{[]string{cannot, dead}, 0, true},
	} {
		var addrs []string
		for _, kind := range test.gateways {
			addrs = append(addrs, start(kind))
		}
		g, err := dial(strings.Join(addrs, ","))
		if err != nil {
			t.Fatal(err)
		}
		for range 4 { // each gateway is asked first
			for what, get := range map[string]func() ([]cell, error){
				"get":      func() ([]cell, error) { return g.get(t.Context(), "nd", "row", "a:article") },
				"multiget": func() ([]cell, error) { return g.multiget(t.Context(), "nd", "a:article", []string{"row"}) },
			} {
				cells, err := get()
				if len(cells) != test.rows || (err != nil) != test.fails || absent(err) {
					t.Errorf("%v: %s: %d rows, %v", test.gateways, what, len(cells), err)
				}
			}
		}
		g.close()
	}
}

// TestLostScanner checks that a gateway that lost its scanner is asked for another, once a page.
func TestLostScanner(t *testing.T) {
	lost, opened := 1, 0
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			opened++
			w.Header().Set("Location", fmt.Sprint("http://", r.Host, r.URL.Path, "/", opened))
			w.WriteHeader(http.StatusCreated)
		case r.Method == http.MethodGet && lost > 0:
			lost--
			http.Error(w, "Gone", http.StatusGone)
		case r.Method == http.MethodGet && opened == 2:
			w.Header().Set("Content-Type", protobuf)
			_, _ = w.Write(cellSet([]cell{{"row", "a:article", 7, []byte("text")}}))
		}
	}))
	defer gateway.Close()
	g, err := dial(gateway.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	rows := 0
	scan := func() error {
		return g.scan(t.Context(), "t", "a:article", "", "", func(cell) error { rows++; return nil })
	}
	if err := scan(); err != nil || rows != 1 || opened != 3 {
		t.Errorf("%d rows by %d scanners, %v", rows, opened, err)
	}
	lost = 2
	if err := scan(); err == nil || opened != 5 {
		t.Errorf("a gateway that loses each: %v after %d scanners", err, opened)
	}
}

func FuzzParseCells(f *testing.F) {
	f.Add(cellSet([]cell{{"row", "a:b", 5, []byte("data")}, {"", "", -1, nil}}))
	f.Add([]byte{0x0a, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		cells, err := parseCells(b)
		if err != nil {
			return
		}
		again, err := parseCells(cellSet(cells))
		if err != nil || len(again) != len(cells) {
			t.Fatalf("%v became %v, %v", cells, again, err)
		}
	})
}
