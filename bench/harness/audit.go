package harness

import (
	"fmt"
	"slices"
)

// nearEnough is the least similarity of a duplicate to its leader, which is the threshold of auto.
const nearEnough = .5

// Outcome is the result of an audit, with the expected final state.
type Outcome struct {
	Violations []string // each begins with its invariant
	// Lost is the number of answers that are not in the log because an epoch skipped them.
	Lost    int
	Members map[string]string // living nid -> docId
	Kept    map[string]string // living docId -> nid of the kept article, or ""
	// Undone holds nids that a client deleted and docIds that a client ended although the log does not have it, because the
	// change was lost or never arrived.
	Undone map[string]bool
	gaps   [][2]uint64 // lost numbers are after the first and before the second
}

// Span is a period between two times of a journal.
type Span struct{ From, To int64 }

// Gone reports whether a change was lost because an epoch skipped its number.
func (o *Outcome) Gone(seq uint64) bool {
	for _, g := range o.gaps {
		if g[0] < seq && seq < g[1] {
			return true
		}
	}
	return false
}

// Audit checks the log of a service against what its clients know, and against the sequential specification of planted
// groups. An article is new if and only if its group has no living docId. If an epoch declares answers lost, that is also a
// violation, unless they were given in a period in which the service was made to lose answers. O(n log n).
func Audit(records []Record, log []Entry, lost ...Span) Outcome {
	a := &audit{
		Outcome: Outcome{Members: map[string]string{}, Kept: map[string]string{}, Undone: map[string]bool{}},
		group:   map[string]int{}, keyed: map[string]bool{}, living: map[int]string{},
		groupOf: map[string]int{}, submitted: map[string]int{},
		leaders: map[string]uint64{}, heat: map[string]int64{},
	}
	a.learn(records)
	a.replay(log)
	a.answers(records, log, lost)
	a.order(records)
	return a.Outcome
}

type audit struct {
	Outcome
	group     map[string]int    // nid -> group
	keyed     map[string]bool   // nids that had an idempotency key
	living    map[int]string    // group -> living docId
	groupOf   map[string]int    // docId -> group, for every docId ever given
	submitted map[string]int    // nid -> number of decisions on it
	leaders   map[string]uint64 // docId -> the change that made it
	heat      map[string]int64  // docId -> heat of the kept copy
}

func (a *audit) bad(format string, args ...any) {
	a.Violations = append(a.Violations, fmt.Sprintf(format, args...))
}

func (a *audit) learn(records []Record) {
	for _, r := range records {
		switch r.Op {
		case "add":
			a.group[r.NID] = r.Group
			a.keyed[r.NID] = r.Key != ""
		case "delete":
			a.Undone[r.NID] = true
		case "end":
			a.Undone[r.DocID] = true
		}
	}
}

// replay decides each change of the log again, in order.
func (a *audit) replay(log []Entry) {
	var last uint64
	for _, e := range log {
		switch {
		case e.Kind == "epoch" && e.Seq > last:
			a.gaps = append(a.gaps, [2]uint64{last, e.Seq})
		case e.Seq != last+1:
			a.bad("I-6: change %d comes after change %d", e.Seq, last)
		}
		last = e.Seq
		switch e.Kind {
		case "epoch":
		case "new", "duplicate":
			a.submission(e)
		case "end", "expire":
			a.end(e)
		case "delete", "update":
			a.change(e)
		default:
			a.bad("I-1: change %d is a %q", e.Seq, e.Kind)
		}
	}
}

// change applies a deletion or a change of heat.
func (a *audit) change(e Entry) {
	docID := a.Members[e.NID]
	if docID == "" {
		a.bad("I-1: change %d: %s of %s, which is not there", e.Seq, e.Kind, e.NID)
		return
	}
	kept := a.Kept[docID] == e.NID
	if e.Kind == "delete" {
		delete(a.Undone, e.NID)
		delete(a.Members, e.NID)
		if kept {
			a.Kept[docID] = ""
		}
	} else if kept {
		a.heat[docID] = e.Heat
	}
}

func (a *audit) submission(e Entry) {
	group, known := a.group[e.NID]
	if !known {
		a.bad("I-1: change %d: no client sent %s", e.Seq, e.NID)
		return
	}
	a.submitted[e.NID]++
	if a.keyed[e.NID] && a.submitted[e.NID] > 1 {
		a.bad("I-7: change %d decides again on %s, in spite of its key", e.Seq, e.NID)
	}
	if a.Members[e.NID] != "" {
		a.bad("I-7: change %d decides on %s, which is there", e.Seq, e.NID)
	}
	docID := a.living[group]
	switch {
	case e.Kind == "new" && docID != "":
		a.bad("I-4: change %d is new, though group %d has docId %s", e.Seq, group, docID)
	case e.Kind == "new":
		if _, given := a.groupOf[e.DocID]; given {
			a.bad("I-6: change %d gives docId %s again", e.Seq, e.DocID)
		}
		a.living[group], a.groupOf[e.DocID], a.leaders[e.DocID] = e.DocID, group, e.Seq
	case e.DocID != docID:
		a.bad("I-3: change %d is a duplicate of %s; its group %d has %q", e.Seq, e.DocID, group, docID)
	case e.Evidence == nil || e.Evidence.Similarity < nearEnough || a.leaders[docID] >= e.Seq:
		a.bad("I-3: change %d is a duplicate without good evidence: %+v", e.Seq, e.Evidence)
	}
	a.Members[e.NID] = e.DocID
	if e.Kind == "new" || a.Kept[e.DocID] == "" || e.Heat > a.heat[e.DocID] { // the hottest, or the first of equally hot ones
		a.Kept[e.DocID], a.heat[e.DocID] = e.NID, e.Heat
	}
}

func (a *audit) end(e Entry) {
	group, given := a.groupOf[e.DocID]
	if !given || a.living[group] != e.DocID {
		a.bad("I-1: change %d ends %s, which does not live", e.Seq, e.DocID)
		return
	}
	delete(a.living, group)
	delete(a.Undone, e.DocID)
	delete(a.Kept, e.DocID)
	for nid, docID := range a.Members {
		if docID == e.DocID {
			delete(a.Members, nid)
		}
	}
}

// answers checks that the log has every answer (I-5), compares the answers of one key (I-7), and checks the docIds of all
// new articles, including lost ones (I-6).
func (a *audit) answers(records []Record, log []Entry, lost []Span) {
	byNumber := map[uint64]Entry{}
	for _, e := range log {
		byNumber[e.Seq] = e
	}
	byKey, given := map[string]uint64{}, map[string]uint64{}
	for _, r := range records {
		if r.Answer == nil {
			continue
		}
		n := r.Answer.Seq
		if other, ok := given[r.Answer.DocID]; ok && r.Answer.Decision == "new" && other != n {
			a.bad("I-6: docId %s was given by changes %d and %d", r.Answer.DocID, other, n)
		} else if r.Answer.Decision == "new" {
			given[r.Answer.DocID] = n
		}
		e, there := byNumber[n]
		if !there && a.Gone(n) {
			a.Lost++
			if slices.ContainsFunc(lost, func(s Span) bool { return s.From <= r.To && r.To <= s.To }) {
				continue
			}
		}
		if !there {
			a.bad("I-5: the answer to %s of %s%s was change %d, which is not in the log", r.Op, r.NID, r.DocID, n)
			continue
		}
		if !r.agrees(e) {
			a.bad("I-5: the answer to %s of %s%s was %+v, the log has %+v", r.Op, r.NID, r.DocID, *r.Answer, e)
		}
		if first, ok := byKey[r.Key]; r.Key != "" && ok && first != n {
			a.bad("I-7: key %s got changes %d and %d", r.Key, first, n)
		} else if r.Key != "" {
			byKey[r.Key] = n
		}
	}
}

// agrees reports whether a log entry is the one that the client received.
func (r Record) agrees(e Entry) bool {
	kind, nid := r.Answer.Decision, r.NID
	switch r.Op {
	case "delete":
		kind = "delete"
	case "end":
		kind, nid = "end", ""
	case "heat":
		kind = "update"
	}
	return e.Kind == kind && e.DocID == r.Answer.DocID && e.NID == nid
}

// order checks that an answer given before a request was sent has a smaller number than the answer to that request (I-1).
func (a *audit) order(records []Record) {
	var done []Record
	for _, r := range records {
		if r.Answer != nil {
			done = append(done, r)
		}
	}
	byEnd := slices.Clone(done)
	slices.SortFunc(byEnd, func(x, y Record) int { return int(x.To - y.To) })
	slices.SortFunc(done, func(x, y Record) int { return int(x.From - y.From) })
	var last uint64
	for _, r := range done {
		for len(byEnd) > 0 && byEnd[0].To < r.From {
			last = max(last, byEnd[0].Answer.Seq)
			byEnd = byEnd[1:]
		}
		if (r.Op == "add" || !r.Answer.Replayed) && r.Answer.Seq <= last {
			a.bad("I-1: %s of %s%s was sent after change %d was answered, and became change %d", r.Op, r.NID, r.DocID, last, r.Answer.Seq)
		}
	}
}
