package eval

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes the report as a table for people.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "threshold    %v\ntruth        %d pairs", r.At, r.Truth)
	if !r.Labelled {
		fmt.Fprintf(&b, ", complete from %v on", r.Floor)
	}
	fmt.Fprintf(&b, "\nreported     %d pairs", r.Reported)
	if r.Repeated > 0 {
		fmt.Fprintf(&b, " (%d lines repeat one)", r.Repeated)
	}
	fmt.Fprintf(&b, "\nrecall       %v\nprecision    %v\n", r.Recall, r.Precision)
	if !r.Labelled {
		fmt.Fprintf(&b, "             false: %d below the threshold, %d not in the truth\n", r.Below, r.Unlisted)
		fmt.Fprintf(&b, "agreement    %v to 3 decimals, largest difference %.4f\n", r.Agreement, r.MaxDifference)
		writeBands(&b, r)
	} else {
		fmt.Fprintf(&b, "not judged   %d reported pairs without a label\n", r.Unlisted)
	}
	writeExamples(&b, "worst misses", r.Misses)
	writeExamples(&b, "worst false pairs", r.False)
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "\nNote: %s\n", note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeBands(b *strings.Builder, r Report) {
	fmt.Fprintf(b, "\n%-12s %8s %8s  %-24s %s\n", "similarity", "pairs", "found", "recall (95 % interval)", "recall from here on")
	for i, band := range r.Bands {
		name := fmt.Sprintf("%v .. %v", band.Low, band.High)
		if band.Low == band.High {
			name = fmt.Sprint(band.Low)
		}
		rest := interval(r.AtLeast[i].Recall)
		if band.Low < r.At {
			rest = "(starts below the threshold)"
		}
		fmt.Fprintf(b, "%-12s %8d %8d  %-24s %s\n", name, band.Recall.Of, band.Recall.Count, interval(band.Recall), rest)
	}
}

func interval(r Rate) string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4f (%.4f..%.4f)", r.Share, r.Low, r.High)
}

func writeExamples(b *strings.Builder, title string, examples []Example) {
	if len(examples) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n%-8s %-8s\n", title, "truth", "reported")
	for _, e := range examples {
		fmt.Fprintf(b, "%-8s %-8s %s  %s\n", similarity(e.Truth), similarity(e.Reported), e.A, e.B)
	}
}

func similarity(f *float64) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *f)
}
