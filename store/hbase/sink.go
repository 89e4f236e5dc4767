package hbase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/neardup/neardup/docid"
	"golang.org/x/sync/errgroup"
)

// Sink stores the hottest article of each docId in one cell, and the leader with which later articles are
// compared. The row is the docId, and the columns are a:article and a:leader. The timestamp of a cell combines
// epoch and change, so the last decision wins in any order of deliveries.
type Sink struct {
	g     *gateways
	table string
}

var (
	_ docid.Library = (*Sink)(nil)
)

// Open parses hbase+http://HOST:PORT[,HOST:PORT...][/TABLE], the addresses of REST gateways of one HBase. It
// creates the table (default "neardup") unless it exists. It returns ErrInvalid or ErrUnavailable.
func Open(ctx context.Context, address string) (*Sink, error) {
	rest, ok := strings.CutPrefix(address, "hbase+http://")
	addrs, table, named := strings.Cut(rest, "/")
	if !named || table == "" {
		table = "neardup"
	}
	if !ok || url.PathEscape(table) != table {
		return nil, fmt.Errorf("%w: invalid address of HBase (want hbase+http://HOST:PORT[,HOST:PORT...][/TABLE])", docid.ErrInvalid)
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

// enabled returns an error if the table takes no cells; see gateways.read.
func (s *Sink) enabled(ctx context.Context) error {
	if err := s.g.put(ctx, s.table, probeCells); err != nil {
		return fmt.Errorf("read table %q (is it enabled?): %w", s.table, err)
	}
	return nil
}

// The cursor is in the row "~" followed by the tenant, which is not a docId. Tables that were made before leaders existed
// have the cursor in a:cursor. This is another column, so such tables get leaders.
const (
	family = "a"
	column = family + ":article"
	leader = family + ":leader"
	cursor = family + ":has"
)

// probeCells are written to test whether a table accepts cells. They are never read, because no tenant has this row.
var probeCells = []cell{{"~", family + ":probe", 1, []byte{'1'}}}

func cursorRow(tenant string) string { return "~" + tenant }

// stamp returns the timestamp of a change: first the epoch, then the number. So a new epoch hides what a lost
// history wrote.
func stamp(epochs int, seq uint64) int64 { return int64(epochs)<<48 | int64(seq) }

// Close closes the connections to the gateways.
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

// Article is the JSON of a cell. A removed article only has its DocID and Gone. The cell is not deleted, because a late
// delivery could bring it back.
type Article struct {
	DocID      string    `json:"docId"`
	NID        string    `json:"nid,omitempty"`
	URL        string    `json:"url,omitempty"`
	Title      string    `json:"title,omitempty"`
	Content    string    `json:"content,omitempty"`
	Category   string    `json:"category,omitempty"`
	Media      string    `json:"media,omitempty"`
	ImageCount string    `json:"imageCount,omitempty"`
	Heat       int64     `json:"heat,omitempty"`
	Time       time.Time `json:"time,omitzero"`
	docid.Extras
	Seq  uint64 `json:"seq"` // the change that wrote it
	Gone bool   `json:"gone,omitempty"`
}

// Leader is the JSON of a leader's cell, with clean texts. For an ended docId only Gone is set.
type Leader struct {
	NID     string `json:"nid,omitempty"`
	Title   string `json:"title,omitempty"`
	Content string `json:"content,omitempty"`
	docid.Extras
	Gone bool `json:"gone,omitempty"`
}

// Cursor returns the last change of a tenant that HBase has.
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

// A request has at most requestBytes of cells, or those of one change. At most requests run at a time.
const (
	requestBytes = 2 << 20
	requests     = 4
)

// Apply writes the kept copies that the deliveries changed, and then the cursor. HBase has no transactions over rows. After
// a crash between the two, the deliveries are repeated without effect. The order of the cells does not matter.
func (s *Sink) Apply(ctx context.Context, tenant string, ds []docid.Delivery) error {
	if len(ds) == 0 {
		return nil
	}
	sending, sent := errgroup.WithContext(ctx)
	sending.SetLimit(requests)
	var cells []cell
	bytes := 0
	send := func() {
		some := cells
		cells, bytes = nil, 0
		sending.Go(func() error { return s.g.put(sent, s.table, some) })
	}
	for i := range ds {
		more, err := cellsOf(&ds[i])
		if err != nil {
			return errors.Join(err, sending.Wait())
		}
		cells = append(cells, more...)
		for _, c := range more {
			bytes += len(c.data)
		}
		if bytes >= requestBytes {
			send()
		}
	}
	send()
	if err := sending.Wait(); err != nil {
		return unavailable(err)
	}
	last := ds[len(ds)-1]
	c := cell{cursorRow(tenant), cursor, stamp(last.Epochs, last.Seq), []byte(strconv.FormatUint(last.Seq, 10))}
	return unavailable(s.g.put(ctx, s.table, []cell{c}))
}

// cellsOf returns the cells of a delivery. Their timestamp comes from the number of the change. The heat cannot serve,
// because it may fall, be negative or be too large.
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
			Category: w.Category, Media: w.Media, ImageCount: w.ImageCount, Heat: w.Heat, Time: time.Unix(0, d.Time).UTC(), Extras: w.Extras,
		}))
	case d.Kept == docid.KeptRemoved:
		err = write(d.DocID, column, Article{DocID: d.DocID, Seq: d.Seq, Gone: true})
	}
	switch m := d.Material; {
	case m != nil:
		err = errors.Join(err, write(d.DocID, leader, Leader{NID: m.NID, Title: m.Title, Content: m.Text, Extras: m.Extras}))
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
