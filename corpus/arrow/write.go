package arrow

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neardup/neardup/corpus"
)

// An output batch of rows that come from no file has at most batchRows rows, and texts of batchBytes bytes. Rows of a file
// keep their batches unless these are larger.
const (
	batchRows  = 1 << 16
	batchBytes = 32 << 20
)

// rowRange holds the rows [from, to) of a batch.
type rowRange struct{ from, to int }

// writer writes a table and copies rows into it.
type writer struct {
	to    output
	begun bool
	own   []*data
	held  int // number of rows in own and in rows
	bytes int // bytes of texts in own
	src   *source
	open  func() (*source, error)
	batch *batch
	base  int64      // number of its first row
	rows  []rowRange // selected rows of batch
	// The dictionaries of a file: those written so far, those of src, and the numbers of the latter.
	dicts [][sha256.Size]byte
	met   int
	ids   map[int64]bool
}

func newWriter(out io.Writer, path string, before []corpus.Column) *writer {
	w := &writer{to: output{out: out, own: before, codec: noCodec}}
	w.to.stream = path == corpus.Stdin || strings.EqualFold(filepath.Ext(path), ".arrows")
	w.fresh()
	return w
}

// fresh empties the columns that do not come from a file.
func (w *writer) fresh() {
	w.own, w.held, w.bytes = nil, 0, 0
	for _, c := range w.to.own {
		d := &data{field: &field{layout: layout{kind: texts, width: 4}}, valid: have(nil), buffers: []*buffer{have(nil), have(nil)}}
		if c.Kind != corpus.Text {
			d.layout, d.buffers = layout{kind: integer, width: 8}, d.buffers[:1]
		}
		w.own = append(w.own, new(copier).empty(d, 0))
	}
}

// add adds a value to a column that does not come from a file, and returns its size. A nil value is null.
func (d *data) add(value any) int {
	if !d.valid.appendBit(d.rows, value != nil) {
		d.nulls++
	}
	d.rows++
	if d.kind == texts {
		s, _ := value.(string)
		d.buffers[1].b = append(d.buffers[1].b, s...)
		d.buffers[0].add(d.width, len(d.buffers[1].b))
		return len(s)
	}
	n, _ := value.(int64)
	if f, ok := value.(float64); ok {
		n = int64(math.Float64bits(f))
	}
	d.buffers[0].add(d.width, int(n))
	return d.width
}

// From opens the file that the next rows come from. All files must have the schema of the first.
func (w *writer) From(file io.ReaderAt, size int64) (err error) {
	defer w.src.recovered(&err)
	if err := w.closeSource(); err != nil {
		return err
	}
	w.open = func() (*source, error) { return open(file, size) }
	if err := w.again(); err != nil {
		return err
	}
	if w.to.of == nil && !w.begun {
		w.to.of, w.to.stream = w.src.schema, w.to.stream || w.src.stream
		return w.begin()
	}
	if w.to.of == nil || !slices.EqualFunc(w.to.of.fields, w.src.fields, (*field).same) {
		return errSchema
	}
	return nil
}

var errSchema = errors.New("its schema differs from that of the earlier inputs")

// again reopens the file at its beginning.
func (w *writer) again() (err error) {
	if w.src != nil {
		w.src.close()
	}
	w.batch, w.base, w.met, w.ids = nil, 0, 0, map[int64]bool{}
	w.src, err = w.open()
	if err == nil {
		w.src.onDictionary = w.dictionary
	}
	return err
}

// begin begins the output.
func (w *writer) begin() error {
	w.begun = true
	var names []string
	for _, c := range w.to.own {
		names = append(names, c.Name)
	}
	if own := len(names); own > 0 && w.to.of != nil {
		for _, f := range w.to.of.fields {
			names = append(names, f.name)
		}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("column %q: name is used twice", name)
		}
	}
	return w.to.begin()
}

// dictionary copies a dictionary. A file has one for each encoded column, and possibly additions to it.
func (w *writer) dictionary(m message) error {
	body := func() io.Reader { return io.NewSectionReader(w.src.file, m.at, m.size) }
	if w.to.stream {
		return w.to.copy(m, body(), &w.to.dicts)
	}
	id := m.header.GetInt64Slot(dictionaryBatchID, 0)
	if w.ids[id] && !m.header.GetBoolSlot(dictionaryMore, false) {
		return errDictionary
	}
	w.ids[id] = true
	h := sha256.New()
	h.Write(m.Bytes)
	if _, err := io.Copy(h, body()); err != nil {
		return err
	}
	sum := [sha256.Size]byte(h.Sum(nil))
	w.met++
	if w.met > len(w.dicts) {
		w.dicts = append(w.dicts, sum)
		return w.to.copy(m, body(), &w.to.dicts)
	}
	if w.dicts[w.met-1] != sum {
		return errDictionary
	}
	return nil
}

var errDictionary = errors.New("a second dictionary for a column: cannot be written to an Arrow file (want a stream, .arrows)")

// Write writes a row of the columns that Create got.
func (w *writer) Write(values ...any) error {
	if !w.begun {
		if err := w.begin(); err != nil {
			return err
		}
	}
	return w.add(values)
}

// add adds values of the columns given to Create to the current row.
func (w *writer) add(values []any) error {
	for i, c := range w.own {
		w.bytes += c.add(values[i])
	}
	w.held++
	if w.full() {
		return w.flush()
	}
	return nil
}

func (w *writer) full() bool {
	if w.batch == nil {
		return w.held >= batchRows || w.bytes >= batchBytes
	}
	row := w.batch.message.size / int64(max(w.batch.rows, 1)) // the approximate size of a row
	return int64(w.bytes)+int64(w.held)*row >= batchBytes
}

// Copy copies row n of the file.
func (w *writer) Copy(n int64, before ...any) (err error) {
	defer w.src.recovered(&err)
	if n < 0 {
		return fmt.Errorf("row %d: does not exist", n)
	}
	if n < w.base {
		if err := errors.Join(w.flush(), w.again()); err != nil {
			return err
		}
	}
	for w.batch == nil || n >= w.base+int64(w.batch.rows) {
		if err := w.next(); err != nil {
			return err
		}
	}
	row := int(n - w.base)
	if last := len(w.rows) - 1; last >= 0 && w.rows[last].to == row {
		w.rows[last].to++
	} else {
		w.rows = append(w.rows, rowRange{row, row + 1})
	}
	return w.add(before)
}

// next reads the next batch of the file.
func (w *writer) next() error {
	if err := w.flush(); err != nil {
		return err
	}
	if w.batch != nil {
		w.base += int64(w.batch.rows)
	}
	var err error
	w.batch, err = w.src.next()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// flush writes the selected rows. It copies a batch unchanged if all rows are selected.
func (w *writer) flush() error {
	if w.held == 0 {
		return nil
	}
	rows, held, columns := w.rows, w.held, w.own
	w.rows = nil
	w.fresh()
	if len(rows) > 0 {
		w.to.codec = w.batch.codec
		whole := len(rows) == 1 && held == w.batch.rows
		if m := w.batch.message; whole && len(columns) == 0 {
			return w.to.copy(m, io.NewSectionReader(w.src.file, m.at, m.size), &w.to.batches)
		}
		c := copier{left: w.src.limit, room: batchBytes}
		for _, d := range w.batch.columns {
			of := c.empty(d, held)
			for _, s := range rows {
				c.rows(of, d, s.from, s.to)
			}
			columns = append(columns, of)
		}
		if err := errors.Join(c.err, w.src.err); err != nil {
			return err
		}
	}
	return w.to.batch(columns, held)
}

func (w *writer) closeSource() error {
	err := w.flush()
	if w.src != nil {
		err = errors.Join(err, w.src.err)
		w.src.close()
	}
	w.src, w.batch, w.base = nil, nil, 0
	return err
}

// Close ends the table. Without a file to copy from and columns of its own, the output is empty, because there is no
// schema.
func (w *writer) Close() (err error) {
	defer w.src.recovered(&err)
	err = w.closeSource()
	if !w.begun && len(w.own) > 0 {
		err = errors.Join(err, w.begin())
	}
	if w.begun {
		err = errors.Join(err, w.to.end())
	}
	return err
}
