package hbase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/neardup/neardup/docid"
)

// Sink keeps one article per docId, the hottest, whole in one cell, and beside it
// what later articles are compared with: row = docId, columns a:article and
// a:leader. A cell's timestamp is made of the epoch and the change, so in any
// order and number of deliveries the last decision is what is read.
type Sink struct {
	g     *gateways
	table string
}

var (
	_ docid.Library = (*Sink)(nil)
)

// Open reads hbase+http://HOST:PORT[,HOST:PORT...][/TABLE], the addresses of
// REST gateways of one HBase, and makes the table ("neardup") if it is not
// there. ErrInvalid, ErrUnavailable.
func Open(ctx context.Context, address string) (*Sink, error) {
	rest, ok := strings.CutPrefix(address, "hbase+http://")
	addrs, table, named := strings.Cut(rest, "/")
	if !named || table == "" {
		table = "neardup"
	}
	if !ok || url.PathEscape(table) != table {
		return nil, fmt.Errorf("%w: the address of HBase is hbase+http://HOST:PORT[,HOST:PORT...][/TABLE]", docid.ErrInvalid)
	}
	g, err := dial(addrs)
	if err != nil {
		return nil, fmt.Errorf("%w: address of HBase: %w", docid.ErrInvalid, err)
	}
	s := &Sink{g: g, table: table}
	err = g.ensure(ctx, table, family)
	if err == nil {
		err = s.enabled(ctx)
	}
	if err != nil {
		g.close()
		return nil, unavailable(err)
	}
	return s, nil
}

// enabled reports an error if the table takes no cells; see gateways.read.
func (s *Sink) enabled(ctx context.Context) error {
	if err := s.g.put(ctx, s.table, probeCells); err != nil {
		return fmt.Errorf("is the table %q enabled? %w", s.table, err)
	}
	return nil
}

// The cursor lies in the row "~" and the tenant, which is no docId. Tables that
// were written before there were leaders have their cursor in a:cursor; here it is
// another column, so that such a table gets them.
const (
	family = "a"
	column = family + ":article"
	leader = family + ":leader"
	cursor = family + ":has"
)

// probeCells are written to learn whether a table takes cells. They are not read: the row is
// of no tenant.
var probeCells = []cell{{"~", family + ":probe", 1, []byte{'1'}}}

func cursorRow(tenant string) string { return "~" + tenant }

// stamp is the timestamp of the cells of a change: by epoch, then by number.
// What a history wrote that was lost is hidden by the epoch that replaced it.
func stamp(epochs int, seq uint64) int64 { return int64(epochs)<<48 | int64(seq) }

// Close lets go of the gateways.
func (s *Sink) Close() error {
	s.g.close()
	return nil
}

func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: HBase: %w", docid.ErrUnavailable, err)
}

// Article is what lies in a cell, as JSON. One that is gone has nothing but its
// DocID and Gone: a cell that was deleted could come back with a late delivery.
type Article struct {
	DocID      string          `json:"docId"`
	NID        string          `json:"nid,omitempty"`
	URL        string          `json:"url,omitempty"`
	Title      string          `json:"title,omitempty"`
	Content    string          `json:"content,omitempty"`
	Category   string          `json:"category,omitempty"`
	Media      string          `json:"media,omitempty"`
	ImageCount string          `json:"imageCount,omitempty"`
	Heat       int64           `json:"heat,omitempty"`
	Time       time.Time       `json:"time,omitzero"`
	Images     []docid.Picture `json:"images,omitempty"`
	Seq        uint64          `json:"seq"` // the change that it came with
	Gone       bool            `json:"gone,omitempty"`
}

// Leader is what lies in the cell of a leader, as JSON: clean texts. Of a docId
// that ended nothing is left but Gone.
type Leader struct {
	NID     string          `json:"nid,omitempty"`
	Title   string          `json:"title,omitempty"`
	Content string          `json:"content,omitempty"`
	Images  []docid.Picture `json:"images,omitempty"`
	Gone    bool            `json:"gone,omitempty"`
}

// Cursor is the last change of a tenant that HBase has.
func (s *Sink) Cursor(ctx context.Context, tenant string) (uint64, error) {
	cells, err := s.g.get(ctx, s.table, cursorRow(tenant), cursor)
	if err != nil || len(cells) == 0 {
		return 0, unavailable(err)
	}
	seq, err := strconv.ParseUint(string(cells[0].data), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: cursor of tenant %q in HBase: %w", docid.ErrCorrupt, tenant, err)
	}
	return seq, nil
}

// A request holds cells of so many bytes at most, or those of one change; so many
// are under way at a time.
const (
	requestBytes = 2 << 20
	requests     = 4
)

// Apply writes what the deliveries made the kept copies, then the cursor. HBase
// has no transactions over rows: after a crash between the two the deliveries
// come again and change nothing. Nor does the order of the cells matter.
func (s *Sink) Apply(ctx context.Context, tenant string, ds []docid.Delivery) error {
	if len(ds) == 0 {
		return nil
	}
	w := writer{s: s, free: make(chan struct{}, requests)}
	for i := range ds {
		cells, err := cellsOf(&ds[i])
		if err != nil {
			return errors.Join(err, w.end())
		}
		w.add(ctx, cells)
	}
	w.send(ctx)
	if err := w.end(); err != nil {
		return unavailable(err)
	}
	last := ds[len(ds)-1]
	c := cell{cursorRow(tenant), cursor, stamp(last.Epochs, last.Seq), []byte(strconv.FormatUint(last.Seq, 10))}
	return unavailable(s.g.put(ctx, s.table, []cell{c}))
}

// writer puts cells, some requests at a time.
type writer struct {
	s       *Sink
	cells   []cell
	bytes   int
	free    chan struct{}
	sending sync.WaitGroup
	mu      sync.Mutex
	failed  error
}

func (w *writer) add(ctx context.Context, cells []cell) {
	w.cells = append(w.cells, cells...)
	for _, c := range cells {
		w.bytes += len(c.data)
	}
	if w.bytes >= requestBytes {
		w.send(ctx)
	}
}

// send puts what was added, unless a request has failed.
func (w *writer) send(ctx context.Context) {
	cells := w.cells
	w.cells, w.bytes = nil, 0
	w.free <- struct{}{}
	w.mu.Lock()
	failed := w.failed
	w.mu.Unlock()
	if failed != nil || len(cells) == 0 {
		<-w.free
		return
	}
	w.sending.Go(func() {
		err := w.s.g.put(ctx, w.s.table, cells)
		w.mu.Lock()
		w.failed = errors.Join(w.failed, err)
		w.mu.Unlock()
		<-w.free
	})
}

// end waits for every request.
func (w *writer) end() error {
	w.sending.Wait()
	return w.failed
}

// cellsOf is what a delivery writes. The timestamp is made of the number of the
// change: heat may fall, and be negative or too large for one.
func cellsOf(d *docid.Delivery) ([]cell, error) {
	var cells []cell
	write := func(row, column string, v any) error {
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("%s of change %d: %w", column, d.Seq, err)
		}
		cells = append(cells, cell{row, column, stamp(d.Epochs, d.Seq), data})
		return nil
	}
	var err error
	if d.Kept.Leaves() {
		err = write(d.Left, column, Article{DocID: d.Left, Seq: d.Seq, Gone: true})
	}
	switch w := d.Article; {
	case (d.Kept.Replaces() || d.Kept == docid.KeptReheated) && w != nil:
		err = errors.Join(err, write(d.DocID, column, Article{
			DocID: d.DocID, Seq: d.Seq, NID: w.ID, URL: w.URL, Title: w.Title, Content: w.Text,
			Category: w.Category, Media: w.Media, ImageCount: w.ImageCount, Heat: w.Heat, Time: time.Unix(0, d.Time).UTC(), Images: w.Pictures,
		}))
	case d.Kept == docid.KeptRemoved:
		err = write(d.DocID, column, Article{DocID: d.DocID, Seq: d.Seq, Gone: true})
	}
	switch m := d.Material; {
	case m != nil:
		err = errors.Join(err, write(d.DocID, leader, Leader{NID: m.NID, Title: m.Title, Content: m.Text, Images: m.Pictures}))
	case d.Kind == docid.KindEnd || d.Kind == docid.KindExpire:
		err = errors.Join(err, write(d.DocID, leader, Leader{Gone: true}))
	}
	return cells, err
}

// Scan visits every kept copy, in the order of the docIds.
func (s *Sink) Scan(ctx context.Context, visit func(Article) error) error {
	return unavailable(s.g.scan(ctx, s.table, column, "", "~", func(c cell) error {
		var a Article
		if err := json.Unmarshal(c.data, &a); err != nil {
			return fmt.Errorf("%w: article of docId %q in HBase: %w", docid.ErrCorrupt, c.row, err)
		}
		if a.Gone {
			return nil
		}
		return visit(a)
	}))
}
