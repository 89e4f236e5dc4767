package eval

import (
	"fmt"
	"io"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/textlines"
)

// Disagreement is a document whose decision differs from the exact graph. A leader is empty where the document is new.
type Disagreement struct {
	ID         string  `json:"id"`
	Decided    string  `json:"decided_leader,omitempty"`
	Truth      string  `json:"true_leader,omitempty"`
	Similarity float64 `json:"similarity,omitempty"` // similarity of the decision
}

// DecisionReport compares decisions with the leader clustering of the exact
// graph in the same order.
type DecisionReport struct {
	At        float64 `json:"at"`
	Documents int     `json:"documents"`
	Removed   int     `json:"removed"`
	// WronglyRemoved is the share of removed documents that are leaders in the exact clustering.
	WronglyRemoved Rate `json:"wrongly_removed"`
	// WronglyKept is the share of kept documents that are duplicates in the exact clustering.
	WronglyKept Rate `json:"wrongly_kept"`
	// OtherLeader is the share of documents that both remove, but with different leaders.
	OtherLeader Rate `json:"other_leader"`
	// NotNear is the share of removed documents for which the truth does not list a similarity of at least At to their
	// leader.
	NotNear        Rate           `json:"not_near"`
	WrongRemovals  []Disagreement `json:"removes"` // wrongly removed, in order
	MissedRemovals []Disagreement `json:"keeps"`   // wrongly kept, in order
}

// Decisions compares a decisions file (JSONL: id, decision, leader, similarity) with the greedy leader clustering of the
// true pairs at or above o.At, in the same order.
func Decisions(truthPath, decisionsPath string, o Options) (DecisionReport, error) {
	t, o, err := begin(truthPath, o)
	if err != nil {
		return DecisionReport{}, err
	}
	decided, order, err := readDecisions(decisionsPath, t.names)
	if err != nil {
		return DecisionReport{}, fmt.Errorf("read decisions: %w", err)
	}
	least := o.At
	if t.labelled {
		least = 1
	}
	c := comparison{truth: t, decided: decided, least: least, examples: o.Examples, out: DecisionReport{At: o.At}}
	c.compare(order, t.leaders(order, least))
	return c.out, nil
}

// placedAt is a decision. leader is the leader's number, or the document's own number if it is new.
type placedAt struct {
	leader     uint32
	similarity float64
}

func readDecisions(path string, n *names) (map[uint32]placedAt, []uint32, error) {
	decided := map[uint32]placedAt{}
	var order []uint32
	err := textlines.Each(path, func(_ int, line []byte) error {
		var d neardup.Decision
		if err := textlines.Object(line, &d, "decision"); err != nil {
			return err
		}
		id := n.of([]byte(d.ID))
		if _, again := decided[id]; again {
			return fmt.Errorf("document %q has two decisions", d.ID)
		}
		place := placedAt{leader: id, similarity: d.Similarity}
		switch d.Decision {
		case neardup.New:
		case neardup.Duplicate:
			if d.Leader == "" || d.Leader == d.ID {
				return fmt.Errorf("duplicate %q: no leader, or itself", d.ID)
			}
			place.leader = n.of([]byte(d.Leader))
		default:
			return fmt.Errorf("decision %q: invalid (want new or duplicate)", d.Decision)
		}
		decided[id] = place
		order = append(order, id)
		return nil
	})
	if err == nil && len(order) == 0 {
		err = fmt.Errorf("%s: no decisions", path)
	}
	return decided, order, err
}

// leaders returns the greedy leader clustering of the graph of true pairs, by document number.
func (t *truth) leaders(order []uint32, least float64) map[uint32]placedAt {
	near := map[uint32][]placedAt{} // here .leader is a neighbour
	for _, p := range t.pairs {
		if p.similarity >= least {
			a, b := uint32(p.key>>32), uint32(p.key)
			near[a] = append(near[a], placedAt{b, p.similarity})
			near[b] = append(near[b], placedAt{a, p.similarity})
		}
	}
	rank := make(map[uint32]int, len(order)) // rank of each leader
	placed := make(map[uint32]placedAt, len(order))
	for i, id := range order {
		best := placedAt{leader: id, similarity: -1}
		for _, n := range near[id] {
			r, leads := rank[n.leader]
			if leads && (n.similarity > best.similarity || (n.similarity == best.similarity && r < rank[best.leader])) {
				best = n
			}
		}
		if best.leader == id {
			rank[id] = i
		}
		placed[id] = best
	}
	return placed
}

// comparison counts where decisions and truth differ.
type comparison struct {
	truth    *truth
	decided  map[uint32]placedAt
	least    float64
	examples int
	out      DecisionReport
}

func (c *comparison) compare(order []uint32, truth map[uint32]placedAt) {
	var removed, wronglyRemoved, wronglyKept, both, other, notNear int
	for _, id := range order {
		d, t := c.decided[id], truth[id]
		isRemoved, shouldBe := d.leader != id, t.leader != id
		if isRemoved {
			removed++
			if at, ok := c.truth.find(key(id, d.leader)); !ok || c.truth.pairs[at].similarity < c.least {
				notNear++
			}
		}
		switch {
		case isRemoved && shouldBe:
			both++
			if d.leader != t.leader {
				other++
			}
		case isRemoved:
			wronglyRemoved++
			c.out.WrongRemovals = c.list(c.out.WrongRemovals, id, d, t)
		case shouldBe:
			wronglyKept++
			c.out.MissedRemovals = c.list(c.out.MissedRemovals, id, d, t)
		}
	}
	c.out.Documents, c.out.Removed = len(order), removed
	c.out.WronglyRemoved = NewRate(wronglyRemoved, removed)
	c.out.WronglyKept = NewRate(wronglyKept, len(order)-removed)
	c.out.OtherLeader = NewRate(other, both)
	c.out.NotNear = NewRate(notNear, removed)
}

func (c *comparison) list(list []Disagreement, id uint32, d, t placedAt) []Disagreement {
	if len(list) >= c.examples {
		return list
	}
	e := Disagreement{ID: c.truth.names.id[id], Similarity: d.similarity}
	if d.leader != id {
		e.Decided = c.truth.names.id[d.leader]
	}
	if t.leader != id {
		e.Truth = c.truth.names.id[t.leader]
	}
	return append(list, e)
}

// WriteText writes the report as a table for people.
func (r DecisionReport) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "threshold        %v\ndocuments        %d, %d removed\n", r.At, r.Documents, r.Removed)
	fmt.Fprintf(&b, "wrongly removed  %v\nwrongly kept     %v\n", r.WronglyRemoved, r.WronglyKept)
	fmt.Fprintf(&b, "other leader     %v\nnot near leader  %v\n", r.OtherLeader, r.NotNear)
	writeDisagreements(&b, "wrongly removed", r.WrongRemovals)
	writeDisagreements(&b, "wrongly kept", r.MissedRemovals)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeDisagreements(b *strings.Builder, title string, list []Disagreement) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, d := range list {
		fmt.Fprintf(b, "%s  decided leader: %s  true leader: %s\n", d.ID, orNew(d.Decided), orNew(d.Truth))
	}
}

func orNew(leader string) string {
	if leader == "" {
		return "(new)"
	}
	return leader
}
