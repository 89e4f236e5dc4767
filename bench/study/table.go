package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

// row is a curve, with a value for every k.
type row struct {
	set, language, length, kind, measure string

	n     int // number of pairs or texts
	value [maxK + 1]float64
}

type table []row

// add adds the curve of a measure, unless n is 0.
func (t table) add(r row, measure string, n int, value func(k int) float64) table {
	if n <= 0 {
		return t
	}
	r.measure, r.n = measure, n
	for k := range r.value {
		r.value[k] = value(k)
	}
	return append(t, r)
}

// save writes a table as TSV with a header.
func (t table) save(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	fmt.Fprintf(w, "set\tlanguage\tlength\tfeatures\tmeasure\tn")
	for k := range maxK + 1 {
		fmt.Fprintf(w, "\tk=%d", k)
	}
	fmt.Fprintln(w)
	for _, r := range t {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d", r.set, r.language, r.length, r.kind, r.measure, r.n)
		for _, v := range r.value {
			fmt.Fprintf(w, "\t%s", strconv.FormatFloat(v, 'g', 3, 64))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		_ = file.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	return file.Close()
}

// find returns the curve of one set, length, kind and measure.
func (t table) find(set, length, kind, measure string) (row, bool) {
	for _, r := range t {
		if r.set == set && r.length == length && r.kind == kind && r.measure == measure {
			return r, true
		}
	}
	return row{}, false
}
