package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/neardup/neardup/pages"
)

const (
	headsPerPart = 2000      // the same value is in file.js
	partBytes    = 256 << 10 // size of the JSON before compression
	openingRunes = 90
	maxSources   = 500
	cutRunes     = 200 // runes of a text when there is no space left
)

// columns holds the values by which the page filters and sorts groups, one per group. Similarities are in units of
// 1/10,000.
type columns struct {
	Size     []int32 `json:"size"`
	Variants []int32 `json:"variants"`
	Shown    []int32 `json:"shown"`
	Min      []int32 `json:"min"`
	Max      []int32 `json:"max"`
	Relation []int   `json:"relation"`
	Source   []int32 `json:"source"`
	Length   []int32 `json:"length"` // runes of the kept document
	Parts    []int32 `json:"parts"`  // first member of each part
}

// Write writes the page in time linear in what it shows.
func (b *Builder) Write(w io.Writer, run Run) error {
	if b.store == nil {
		return errOrder
	}
	shownGroups := b.groups[:min(len(b.groups), b.opt.Groups)]
	c, heads, members := columns{}, partsOf{name: "heads-"}, partsOf{name: "members-"}
	budget := b.opt.TextBytes
	for i := range shownGroups {
		g := &shownGroups[i]
		for k := range g.shown {
			m, err := b.member(g.first + k)
			if err != nil {
				return err
			}
			if k == 0 {
				c.add(g, b.source(&m.document), utf8.RuneCountInString(m.Text))
				if i%headsPerPart == 0 && i > 0 {
					heads.end()
				}
				heads.add([]string{m.ID, m.Title, m.URL, oneLine(m.Text)})
			}
			budget -= int64(len(m.Text))
			if budget < 0 {
				if t, n := cut(m.Text, cutRunes); n > 0 {
					m.Text, m.Cut = t, n
				}
			}
			b.runes.add(m.Text)
			if members.size == 0 {
				c.Parts = append(c.Parts, g.first+k)
			}
			members.add(m)
			if members.size >= partBytes {
				members.end()
			}
		}
	}
	if err := cmp.Or(heads.err, members.err); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	heads.end()
	members.end()
	b.summarize(&run, &c)
	run.Lab = b.lab != nil
	if b.lab != nil {
		if err := members.whole("lab", b.lab.part()); err != nil {
			return err
		}
	}
	return write(w, &run, &c, &heads, &members)
}

// write writes the summary first, so that a browser shows it while it loads the rest.
func write(w io.Writer, run *Run, c *columns, heads, members *partsOf) error {
	page, err := pages.New(w, "neardup: "+strings.Join(run.Inputs, ", "))
	if err != nil {
		return err
	}
	first, later := partsOf{}, partsOf{}
	if err := errors.Join(first.whole("run", run), later.whole("columns", c)); err != nil {
		return err
	}
	if err := page.Add(first.done[0]); err != nil {
		return err
	}
	if err := page.Start(); err != nil {
		return err
	}
	for _, p := range slices.Concat(later.done, heads.done, members.done) {
		if err := page.Add(p); err != nil {
			return err
		}
	}
	return page.Close()
}

func (c *columns) add(g *group, source int32, length int) {
	c.Size = append(c.Size, g.size)
	c.Variants = append(c.Variants, g.variants)
	c.Shown = append(c.Shown, g.shown)
	c.Min = append(c.Min, int32(g.min*10000+.5))
	c.Max = append(c.Max, int32(g.max*10000+.5))
	c.Relation = append(c.Relation, int(g.relation))
	c.Source = append(c.Source, source)
	c.Length = append(c.Length, int32(length))
}

// source returns the number of the origin of a document: the host of its address, or its source.
func (b *Builder) source(d *document) int32 {
	name := d.Source
	if u, err := url.Parse(d.URL); err == nil && u.Host != "" {
		name = u.Host
	}
	if n, ok := b.names[name]; ok {
		return n
	}
	if len(b.sources) == maxSources {
		return -1
	}
	n := int32(len(b.sources))
	b.names[name] = n
	b.sources = append(b.sources, name)
	return n
}

func oneLine(s string) string {
	s, n := cut(strings.Join(strings.Fields(s[:min(len(s), 8*openingRunes)]), " "), openingRunes)
	if n > 0 {
		s += "…"
	}
	return strings.ToValidUTF8(s, "")
}

func (b *Builder) summarize(run *Run, c *columns) {
	run.Documents = max(run.Documents, int64(len(b.decisions))-b.known)
	run.Groups, run.ShownGroups = len(b.groups), len(c.Size)
	run.Reasons = slices.DeleteFunc(slices.Clone(b.reasons), func(r Reason) bool { return r.Count == 0 })
	slices.SortStableFunc(run.Reasons, func(x, y Reason) int { return cmp.Compare(y.Count, x.Count) })
	if run.Reasons == nil {
		run.Reasons = []Reason{}
	}
	var similar [51]int64 // in steps of 1/50, including 1
	for i := range b.decisions {
		r := &b.decisions[i]
		if !r.kind.removed() {
			continue
		}
		run.Removed++
		if r.kind == equal {
			run.Equal++
		}
		similar[min(int(r.similarity*50+1e-9), 50)]++
	}
	run.Kept = run.Documents - run.Removed
	run.Similarity = []Bin{}
	for i, n := range similar {
		if n > 0 || len(run.Similarity) > 0 {
			run.Similarity = append(run.Similarity, Bin{fmt.Sprintf("%.2f", float64(i)/50), n})
		}
	}
	run.Similarity = trim(run.Similarity)
	sizes := make([]int64, 33)
	for i := range b.groups {
		if b.groups[i].size > 1 {
			sizes[bits.Len32(uint32(b.groups[i].size))]++
			run.Clusters, run.Largest = run.Clusters+1, max(run.Largest, int(b.groups[i].size))
		}
	}
	run.Sizes = powers(sizes)
	run.Sources = b.sources
	if run.Sources == nil {
		run.Sources = []string{}
	}
	run.Simplified = b.runes.simplified()
}

// partsOf makes the parts of the page: compressed JSON arrays of bounded size.
type partsOf struct {
	name string
	done []pages.Part
	buf  bytes.Buffer
	size int
	zip  *gzip.Writer // reused, because its tables are large
	err  error
}

func (p *partsOf) add(v any) {
	line, err := json.Marshal(v)
	p.err = cmp.Or(p.err, err)
	if p.size == 0 {
		p.buf.WriteByte('[')
	} else {
		p.buf.WriteByte(',')
	}
	p.buf.Write(line)
	p.size = p.buf.Len()
}

func (p *partsOf) end() {
	if p.size == 0 {
		return
	}
	p.buf.WriteByte(']')
	p.err = cmp.Or(p.err, p.compress(fmt.Sprint(p.name, len(p.done)), p.buf.Bytes()))
	p.buf.Reset()
	p.size = 0
}

func (p *partsOf) whole(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return p.compress(name, b)
}

func (p *partsOf) compress(name string, b []byte) error {
	var out bytes.Buffer
	if p.zip == nil {
		// The fastest level makes the page a tenth larger, but takes half the time.
		p.zip, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed)
	}
	p.zip.Reset(&out)
	_, err := p.zip.Write(b)
	if err := errors.Join(err, p.zip.Close()); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p.done = append(p.done, pages.Part{Name: name, Gzip: out.Bytes()})
	return nil
}
