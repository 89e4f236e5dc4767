package browser

import (
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// Longest calls work and returns the CPU time of the longest task during it, in milliseconds. It looks at all threads that
// run tasks of pages, and ignores time when other threads ran.
func (tab *Tab) Longest(work func()) float64 {
	tab.t.Helper()
	most, complete := 0.0, make(chan struct{})
	tab.must(chromedp.Listen(tab.ctx, func(ev any) { // events arrive one after the other
		switch ev := ev.(type) {
		case *tracing.EventDataCollected:
			for _, raw := range ev.Value {
				var task struct {
					Name string
					TDur float64 // in microseconds
				}
				if json.Unmarshal(raw, &task) == nil && task.Name == "ThreadControllerImpl::RunTask" {
					most = max(most, task.TDur/1000)
				}
			}
		case *tracing.EventTracingComplete:
			close(complete)
		}
	}))
	call(tab, tracing.Start, tracing.StartParams{TransferMode: "ReportEvents", TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"toplevel"}}})
	work()
	call(tab, tracing.End, cdp.Empty{})
	select {
	case <-complete:
	case <-time.After(patience):
		tab.t.Fatal("browser: the trace does not end")
	}
	return most
}
