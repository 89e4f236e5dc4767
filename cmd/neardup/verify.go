package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// errDamaged says that a check of a store found something.
var errDamaged = errors.New("the store is damaged")

// rowsRead tells how many rows were read: once a second on a terminal, every
// ten seconds in a log.
func rowsRead(w io.Writer) func(int) {
	every, line := 10*time.Second, "%s rows read\n"
	if onTerminal(w) {
		every, line = time.Second, "\r\x1b[K%s rows read\r"
	}
	told := time.Now()
	return func(rows int) {
		if now := time.Now(); now.Sub(told) >= every {
			told = now
			fmt.Fprintf(w, line, grouped(int64(rows)))
		}
	}
}

// verify checks a store that no server has open and prints what is wrong.
func verify(ctx context.Context, a *app, data string) error {
	store, err := closedIn(data)
	if err != nil {
		return err
	}
	report, err := store.check(ctx, rowsRead(a.stderr))
	if err != nil {
		return err
	}
	for _, p := range report.Problems {
		fmt.Fprintf(a.stdout, "tenant %s, row %s: %s\n", oneLine(p.Tenant), p.Row, oneLine(p.What))
	}
	fmt.Fprintf(a.stdout, "%s rows, %d problems\n", grouped(int64(report.Rows)), len(report.Problems))
	if len(report.Problems) > 0 {
		return errDamaged
	}
	return nil
}
