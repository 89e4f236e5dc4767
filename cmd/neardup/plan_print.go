package main

import (
	"fmt"
	"io"
	"runtime"
	"time"
)

// planned is what the command says.
type planned struct {
	Held      int64      `json:"indexDocuments"` // of the index that is decided against
	Documents estimate   `json:"documents"`
	Sample    int64      `json:"sample"`
	TextBytes estimate   `json:"textBytes"`
	Cores     int        `json:"cores"` // of the cluster
	Methods   []forecast `json:"methods"`
}

func coresHere() int { return runtime.GOMAXPROCS(0) }

func (p planned) print(w io.Writer) {
	from := "from a sample of " + grouped(p.Sample)
	if p.Documents == exactly(float64(p.Sample)) {
		from = "all of them looked at"
	}
	fmt.Fprintf(w, "documents   %s, %s\ntext        %s\n", p.Documents.count(), from, p.TextBytes.bytes())
	if p.Held > 0 {
		fmt.Fprintf(w, "index       holds %s\n", counted(p.Held, "document"))
	}
	for _, f := range p.Methods {
		fmt.Fprintf(w, "\nmethod      %s\n", f.asked)
		fmt.Fprintf(w, "keys        %.1f a document, %s postings\n", f.Keys, f.Postings.count())
		pairs := "pairs"
		if f.Verified == exactly(1) {
			pairs = "pair"
		}
		fmt.Fprintf(w, "compared    %s %s\nremoved     %s\n", f.Verified.count(), pairs, f.Removed.count())
		fmt.Fprintf(w, "machine     CPU %s: %s on %d cores; memory %s of at most %s, disk %s\n",
			f.CPU.time(), f.MachineTime.time(), coresHere(), f.Used.bytes(), mebibytes(f.Memory), f.Disk.bytes())
		if f.Index.High > 0 {
			fmt.Fprintf(w, "index       grows by %s\n", f.Index.bytes())
		}
		fmt.Fprintf(w, "spark       CPU %s: %s on %d cores; shuffles %s, %.0f bytes a document\n",
			f.SparkCPU.time(), f.SparkTime.time(), p.Cores, f.Shuffle.bytes(), f.Shuffle.Value/p.Documents.Value)
		fmt.Fprintf(w, "use         %s\n", f.Advice)
	}
}

// format prints an estimate by a printer of its parts; one figure where they agree.
func (e estimate) format(of func(float64) string) string {
	v, low, high := of(e.Value), of(e.Low), of(e.High)
	if low == v && high == v {
		return v
	}
	return fmt.Sprintf("%s (%s to %s)", v, low, high)
}

func (e estimate) count() string {
	return e.format(func(v float64) string { return grouped(int64(v + .5)) })
}

func (e estimate) bytes() string {
	return e.format(func(v float64) string {
		for _, u := range []struct {
			name string
			n    float64
		}{{"TiB", 1 << 40}, {"GiB", 1 << 30}} {
			if v >= u.n {
				return fmt.Sprintf("%.1f %s", v/u.n, u.name)
			}
		}
		return mebibytes(int64(v))
	})
}

func (e estimate) time() string {
	return e.format(func(v float64) string {
		d := time.Duration(v * float64(time.Second))
		switch {
		case d < time.Second:
			return d.Round(time.Millisecond).String()
		case d < time.Minute:
			return d.Round(100 * time.Millisecond).String()
		}
		return d.Round(time.Second).String()
	})
}
