package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/report"
)

// auditFlag is the flag --audit with value "on", "off" or the number of pairs to list.
type auditFlag struct {
	off  bool
	list int
}

const (
	mostAudited  = 1000
	pageAudited  = 10 // number of pairs on the page by default
	mostDiffers  = 6  // number of differences shown for a pair
	wordsShown   = 60 // runes shown of a difference
	openingShown = 100
)

// Type returns the name of the value's type for the help.
func (f *auditFlag) Type() string { return "N" }

// String returns the value of the flag.
func (f *auditFlag) String() string {
	switch {
	case f.off:
		return "off"
	case f.list == 0:
		return "on"
	}
	return strconv.Itoa(f.list)
}

// Set parses a value.
func (f *auditFlag) Set(v string) error {
	n, err := strconv.Atoi(v)
	if v != "on" && v != "off" && (err != nil || n < 1 || n > mostAudited) {
		return fmt.Errorf("invalid value %q (want on, off, or a number from 1 to %d)", v, mostAudited)
	}
	*f = auditFlag{v == "off", n}
	return nil
}

// laxer is the distance below the threshold within which the audit looks for near misses.
const laxer = .2

// audit returns the configuration of the audit. It returns nil if the audit is off or would not be reported.
func (f *methodFlags) audit(a auditFlag, m neardup.Method, told bool) *audit.Config {
	c, err := f.choice()
	if a.off || !told {
		return nil
	}
	out := &audit.Config{
		List: cmp.Or(a.list, pageAudited), Threshold: thresholdOf(m.Spec().String()),
	}
	// Near misses are not measured if this method cannot be made.
	if err == nil && c.Takes("threshold") {
		if lax, _, err := f.at(max(out.Threshold-laxer, out.Threshold/2)); err == nil {
			out.Lax = lax
		}
	}
	return out
}

func quality(a *audit.Result) (*report.Quality, error) {
	if a == nil {
		return nil, nil
	}
	b := a.Borderline
	q := &report.Quality{
		Sample: eval.NewClusteredRate(a.Sample.Found, a.Sample.Near, a.Sample.Groups), Texts: a.Sample.Texts, Against: a.Sample.Against,
		Above: eval.NewRate(int(b.Above), int(b.Near)), Below: eval.NewRate(b.Below, b.Sampled), Border: audit.Border, Refused: b.Refused,
		Seconds: a.Time.Seconds(),
	}
	found, near := 0, 0
	for _, e := range a.Edits {
		found, near = found+e.Found, near+e.Near
		q.Edits = append(q.Edits, report.EditShare{Kind: string(e.Kind), Made: e.Made, Equal: e.Equal, Near: e.Near, Found: eval.NewRate(e.Found, e.Near)})
	}
	q.Recall = eval.NewRate(found, near)
	auto, err := methods.New("")
	if err != nil {
		return nil, err
	}
	q.Removals, q.Misses = audited(auto, a.Removals), audited(auto, a.Misses)
	return q, nil
}

// audited lists the differences of pairs. Among pairs equally close to the threshold, it puts those with the
// strongest evidence against a match first.
func audited(auto neardup.Method, pairs []audit.Pair) []report.AuditedPair {
	out := make([]report.AuditedPair, len(pairs))
	heaviest := func(p report.AuditedPair) float64 {
		if len(p.Differs) == 0 {
			return 0
		}
		return -p.Differs[0].Bits
	}
	for i, p := range pairs {
		out[i] = report.AuditedPair{ID: p.ID, Other: p.Other, Similarity: p.Similarity, Basis: p.Basis, Variant: p.Variant, Opening: opening(p.Texts[0], openingShown)}
		// The differing words of the two texts. The method auto weighs them, whatever the method of the run.
		for _, c := range neardup.Explain(auto, auto.Prepare(p.Texts[0]), auto.Prepare(p.Texts[1])).Evidence {
			d := report.Differing{A: opening(c.A, wordsShown), B: opening(c.B, wordsShown)}
			if d == (report.Differing{}) || len(out[i].Differs) == mostDiffers || slices.ContainsFunc(out[i].Differs, func(x report.Differing) bool { return x.A == d.A && x.B == d.B }) {
				continue
			}
			d.Bits = math.Round(10*c.Bits) / 10
			out[i].Differs = append(out[i].Differs, d)
		}
	}
	slices.SortStableFunc(out, func(x, y report.AuditedPair) int {
		if x.Similarity != y.Similarity || x.Variant != y.Variant {
			return 0 // as the audit ordered them
		}
		return cmp.Compare(heaviest(y), heaviest(x))
	})
	return out
}

// printQuality prints the measured quality of a run, and the audited pairs if they are to be listed.
func printQuality(w io.Writer, q *report.Quality, list bool) {
	if q == nil {
		return
	}
	fmt.Fprintf(w, "recall      %s of sampled texts\n", share(q.Recall, "edited copy"))
	if q.Sample.Of > 0 {
		fmt.Fprintf(w, "            %s, by brute force of %s against %s\n", share(q.Sample, "pair"), counted(int64(q.Texts), "text"), grouped(q.Against))
	}
	if q.Above.Of > 0 {
		fmt.Fprintf(w, "borderline  %.1f %% of the near pairs are less than %v above the threshold", 100*q.Above.Share, q.Border)
		if q.Below.Of > 0 {
			fmt.Fprintf(w, ", %.1f %% of the rejected pairs less than %v below it", 100*q.Below.Share, q.Border)
		}
		fmt.Fprintln(w)
	}
	if list {
		auditList(w, "check these near pairs, the least similar first:", q.Removals)
		auditList(w, "check these rejected pairs, the most similar first:", q.Misses)
	}
}

func share(r eval.Rate, of string) string {
	if r.Of == 0 {
		return "not measured: " + counted(0, of)
	}
	return fmt.Sprintf("%.4f (%.4f..%.4f) of %s", r.Share, r.Low, r.High, counted(int64(r.Of), of))
}

func auditList(w io.Writer, title string, pairs []report.AuditedPair) {
	if len(pairs) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, p := range pairs {
		variant := ""
		if p.Variant {
			variant = ", a variant"
		}
		fmt.Fprintf(w, "  %.4f  %s ~ %s%s\n          %s\n", p.Similarity, oneLine(p.ID), oneLine(p.Other), variant, p.Opening)
		for _, d := range p.Differs {
			fmt.Fprintf(w, "          %+5.1f  %s against %s\n", d.Bits, quoted(d.A), quoted(d.B))
		}
	}
}

func quoted(s string) string {
	if s == "" {
		return "nothing"
	}
	return strconv.Quote(s)
}
