package harness

import (
	"fmt"
	"slices"
)

// nearEnough is the least similarity of a duplicate to its leader.
const nearEnough = .8

// Audit holds a service's log to what its clients know, and to the sequential
// specification of planted groups: an article is new if and only if its group
// has no living docId. It returns every violation, naming the invariant. O(n log n).
func Audit(records []Record, log []Entry) []string {
	a := &audit{
		group: map[string]int{}, keyed: map[string]bool{}, living: map[int]string{},
		groupOf: map[string]int{}, members: map[string]string{}, submitted: map[string]int{},
		leaders: map[string]uint64{},
	}
	a.learn(records)
	a.replay(log)
	a.answers(records, log)
	a.order(records)
	return a.violations
}

type audit struct {
	violations []string
	group      map[string]int    // of each nid
	keyed      map[string]bool   // nids that came with an idempotency key
	living     map[int]string    // docId of each group that has one
	groupOf    map[string]int    // of each docId ever given
	members    map[string]string // docId of each living nid
	submitted  map[string]int    // how often each nid was decided on
	leaders    map[string]uint64 // change that made each docId
}

func (a *audit) bad(format string, args ...any) {
	a.violations = append(a.violations, fmt.Sprintf(format, args...))
}

func (a *audit) learn(records []Record) {
	for _, r := range records {
		if r.Op == "add" {
			a.group[r.NID] = r.Group
			a.keyed[r.NID] = r.Key != ""
		}
	}
}

// replay goes through the log in order and decides again.
func (a *audit) replay(log []Entry) {
	for i, e := range log {
		if e.Seq != uint64(i)+1 {
			a.bad("I-6: change %d stands at place %d of the log", e.Seq, i+1)
		}
		switch e.Kind {
		case "new", "duplicate":
			a.submission(e)
		case "end", "expire":
			a.end(e)
		case "delete", "update":
			if a.members[e.NID] == "" {
				a.bad("I-1: change %d: %s of %s, which is not there", e.Seq, e.Kind, e.NID)
			}
			if e.Kind == "delete" {
				delete(a.members, e.NID)
			}
		default:
			a.bad("I-1: change %d is a %q", e.Seq, e.Kind)
		}
	}
}

func (a *audit) submission(e Entry) {
	group, known := a.group[e.NID]
	if !known {
		a.bad("I-1: change %d: nobody sent %s", e.Seq, e.NID)
		return
	}
	if a.submitted[e.NID]++; a.keyed[e.NID] && a.submitted[e.NID] > 1 {
		a.bad("I-7: change %d decides again on %s, in spite of its key", e.Seq, e.NID)
	}
	if a.members[e.NID] != "" {
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
	a.members[e.NID] = e.DocID
}

func (a *audit) end(e Entry) {
	group, given := a.groupOf[e.DocID]
	if !given || a.living[group] != e.DocID {
		a.bad("I-1: change %d ends %s, which does not live", e.Seq, e.DocID)
		return
	}
	delete(a.living, group)
	for nid, docID := range a.members {
		if docID == e.DocID {
			delete(a.members, nid)
		}
	}
}

// answers looks for every answer in the log (I-5) and compares those of one
// key (I-7).
func (a *audit) answers(records []Record, log []Entry) {
	byKey := map[string]uint64{}
	for _, r := range records {
		if r.Answer == nil {
			continue
		}
		n := r.Answer.Seq
		if n == 0 || n > uint64(len(log)) {
			a.bad("I-5: the answer to %s of %s%s was change %d of %d", r.Op, r.NID, r.DocID, n, len(log))
			continue
		}
		if e := log[n-1]; !r.agrees(e) {
			a.bad("I-5: the answer to %s of %s%s was %+v, the log has %+v", r.Op, r.NID, r.DocID, *r.Answer, e)
		}
		if first, ok := byKey[r.Key]; r.Key != "" && ok && first != n {
			a.bad("I-7: key %s got changes %d and %d", r.Key, first, n)
		} else if r.Key != "" {
			byKey[r.Key] = n
		}
	}
}

// agrees reports whether a log entry says what the client was answered.
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

// order checks that what was answered before another was sent has the smaller
// number (I-1).
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
