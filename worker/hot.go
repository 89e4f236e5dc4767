package worker

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/neardup/neardup/batch"
)

// Meet compares the members of hot buckets with the leaders among them. First
// come lines of leaders, "l", key, place, role, sketch, all of which are held
// in memory, 24 bytes each and as much for the table; then members, "m", key, place, role,
// sketch, and the place of the last copy of the member's text (0: none). Written
// are candidates: later, earlier. A leader that comes after a member is one where the
// member has a later copy.
func (s Stages) Meet(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	leaders := map[uint64][]batch.Posting{}
	err := l.each(func(fields [][]byte) error {
		switch string(fields[0]) {
		case "l":
			p, err := parsePosting(fields[1:])
			leaders[p.Key()] = append(leaders[p.Key()], p)
			return err
		case "m":
			if err := want(fields, 6, "a member"); err != nil {
				return err
			}
			p, err := parsePosting(fields[1:5])
			if err != nil {
				return err
			}
			last, err := parsePlace(fields[5])
			if err != nil {
				return err
			}
			return s.meet(l, p, last, leaders[p.Key()])
		}
		return fmt.Errorf("%w: kind %q is neither l nor m", ErrLine, fields[0])
	})
	return l.counts, err
}

func (s Stages) meet(l *lines, p batch.Posting, last batch.Ordinal, leaders []batch.Posting) error {
	for _, o := range leaders {
		before := o.Text() < p.Text() || o.Text() != p.Text() && o.Text() < last
		if !before || p.Role()&batch.Probing == 0 || o.Role()&batch.Indexed == 0 || p.Sketch() != o.Sketch() && !s.Method.Plausible(p.Sketch(), o.Sketch()) {
			continue
		}
		l.place(max(p.Text(), o.Text()))
		l.tab()
		l.place(min(p.Text(), o.Text()))
		if err := l.write(); err != nil {
			return err
		}
	}
	return nil
}

// Settle decides what can be decided while not all edges are known. First come
// the texts that wait for edges to earlier ones, "w", place, in any order; then
// edges of near texts, "e", later, earlier, in this order. Written are texts
// with edges that are duplicates, place "duplicate", and those that are open, place
// "open": they wait, or an earlier one does. All others are leaders. Memory: a bit a text that
// is not.
func Settle(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	state := batch.NewSettling()
	var last batch.Candidate
	flush := func() error {
		var word string
		switch state.End() {
		case batch.SettledDuplicate:
			word = "duplicate"
		case batch.SettledOpen:
			word = "open"
		default:
			return nil
		}
		l.place(last.Later)
		l.line = append(append(l.line, '\t'), word...)
		return l.write()
	}
	any := false
	err := l.each(func(fields [][]byte) error {
		switch kind := string(fields[0]); {
		case kind == "w" && len(fields) == 2 && !any:
			p, err := parsePlace(fields[1])
			state.Wait(p)
			return err
		case kind == "e" && len(fields) == 3:
			later, err := parsePlace(fields[1])
			if err != nil {
				return err
			}
			earlier, err := parsePlace(fields[2])
			if err != nil {
				return err
			}
			c := batch.Candidate{Later: later, Earlier: earlier}
			if any && c.Later != last.Later {
				if err := flush(); err != nil {
					return err
				}
			}
			any, last = true, c
			return state.Edge(c)
		}
		return fmt.Errorf("%w: %q begins neither a text that waits nor, after these, an edge", ErrLine, fields[0])
	})
	if err == nil && any {
		err = flush()
	}
	return l.counts, errors.Join(err, l.out.Flush())
}
