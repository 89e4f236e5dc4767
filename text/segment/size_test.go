package segment

import (
	"runtime"
	"testing"
)

// BenchmarkHeap reports what a Segmenter keeps.
func BenchmarkHeap(b *testing.B) {
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	before := heap()
	var g *Segmenter
	for b.Loop() {
		var err error
		g, err = New()
		if err != nil {
			b.Fatal(err)
		}
		g.Cut(nil, "小明硕士毕业于中国科学院计算所", HMM)
	}
	b.ReportMetric(heap()-before, "MB-heap")
	runtime.KeepAlive(g)
}
