// Package browser opens pages in a real Chromium for tests. It presses keys, evaluates expressions, and records the
// requests of a page and the violations of its policy. scripts/services installs Chromium and axe-core. If one is missing,
// a test is skipped, or fails under CI.
package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/neardup/neardup/internal/test/services"
)

// patience is the timeout of every action. It only ends actions that hang.
const patience = 3 * time.Minute

// Tab is a page in its own browser.
type Tab struct {
	// Downloads is the folder in which saved files appear.
	Downloads string

	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	problems []string
}

// Open starts a browser with one tab, 900 pixels high. The browser ends with the test.
func Open(t testing.TB, width int64) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser adds no concurrency of ours")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		services.Missing(t, "chromium")
	}
	ctx, cancel := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-US"), chromedp.Flag("force-color-profile", "srgb")))
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); cancel() })
	tab := &Tab{t: t, ctx: ctx, Downloads: t.TempDir()}
	tab.must(chromedp.Do(ctx, chromedp.Navigate("about:blank")))
	tab.must(chromedp.Listen(ctx, tab.note))
	call(tab, log.Enable, cdp.Empty{})
	call(tab, network.Enable, network.EnableParams{})
	call(tab, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"})
	_, err = chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: tab.Downloads})
	tab.must(err)
	call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		window.problems = [];
		addEventListener('securitypolicyviolation', (e) => window.problems.push('policy: ' + e.violatedDirective + ' ' + e.blockedURI));
		addEventListener('error', (e) => window.problems.push('error: ' + e.message));
		addEventListener('unhandledrejection', (e) => window.problems.push('rejection: ' + e.reason));`})
	tab.Width(width)
	return tab
}

func call[P, R any](tab *Tab, cmd cdp.Command[P, R], params P) R {
	tab.t.Helper()
	out, err := chromedp.Call(tab.ctx, cmd, params)
	tab.must(err)
	return out
}

func (tab *Tab) must(err error) {
	tab.t.Helper()
	if err != nil {
		tab.t.Fatalf("browser: %v", err)
	}
}

// note records the requests and the problems of the page.
func (tab *Tab) note(ev any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		tab.requests = append(tab.requests, ev.Request.URL)
	case *runtime.EventExceptionThrown:
		tab.problems = append(tab.problems, ev.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if ev.Entry.Level == "error" {
			tab.problems = append(tab.problems, fmt.Sprint(ev.Entry.Source, ": ", ev.Entry.Text))
		}
	}
}

// Width sets the width of the page. The height is 900.
func (tab *Tab) Width(width int64) {
	tab.t.Helper()
	tab.must(chromedp.Do(tab.ctx, chromedp.EmulateViewport(width, 900)))
}

// Go opens an address, or a file by its path.
func (tab *Tab) Go(url string) {
	tab.t.Helper()
	if filepath.IsAbs(url) {
		url = "file://" + url
	}
	tab.must(chromedp.Do(tab.ctx, chromedp.Navigate(url)))
}

// Eval evaluates an expression. If it is a promise, Eval awaits it.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	out, err := evaluate[T](tab, expression)
	if err != nil {
		tab.t.Fatalf("browser: %s: %v", expression, err)
	}
	return out
}

func evaluate[T any](tab *Tab, expression string) (T, error) {
	return chromedp.Run(tab.ctx, chromedp.Evaluate[T](expression, func(p *runtime.EvaluateParams) { p.AwaitPromise = new(true) }))
}

// Wait waits until an expression is true, also while the browser loads another page.
func (tab *Tab) Wait(expression string) {
	tab.t.Helper()
	end := time.Now().Add(patience)
	for {
		is, err := evaluate[bool](tab, "!!("+expression+")")
		if err != nil && !strings.Contains(err.Error(), "navigated") {
			tab.t.Fatalf("browser: %s: %v", expression, err)
		}
		if is {
			return
		}
		if time.Now().After(end) {
			tab.t.Fatalf("browser: never true: %s\n%s\n%s", expression, strings.Join(tab.Problems(), "\n"), Eval[string](tab, "document.body.innerText.slice(0, 2000)"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Press presses keys, one after the other. Special keys are those of chromedp's package kb.
func (tab *Tab) Press(keys string) {
	tab.t.Helper()
	tab.must(chromedp.Do(tab.ctx, chromedp.KeyEvent(keys)))
}

// Saved waits for a file that the page saves, and returns its contents. While the browser writes, the name belongs to an
// empty file, which is replaced at the end.
func (tab *Tab) Saved(name string) string {
	tab.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if b, err := os.ReadFile(filepath.Join(tab.Downloads, name)); err == nil && len(b) > 0 {
			tab.must(os.Remove(filepath.Join(tab.Downloads, name)))
			return string(b)
		}
	}
	tab.t.Fatalf("browser: %s was not saved", name)
	return ""
}

// Pictures writes screenshots of the page as PNG files to the folder NEARDUP_PICTURES, if that is set. They are 1280 and
// 390 pixels wide, light and dark. scripts/screenshots makes those of docs/pages with it.
func (tab *Tab) Pictures(name string) {
	tab.t.Helper()
	dir := os.Getenv("NEARDUP_PICTURES")
	if dir == "" {
		return
	}
	const theme = "document.documentElement.dataset.theme"
	before, width := Eval[string](tab, theme), Eval[int64](tab, "innerWidth")
	for _, p := range []struct {
		suffix, theme string
		width         int64
	}{{"", "light", 1280}, {"-dark", "dark", 1280}, {"-390", "light", 390}, {"-390-dark", "dark", 390}} {
		tab.Width(p.width)
		Eval[any](tab, theme+" = '"+p.theme+"'")
		b, err := chromedp.Run(tab.ctx, chromedp.CaptureScreenshot())
		tab.must(err)
		tab.must(os.WriteFile(filepath.Join(dir, name+p.suffix+".png"), tab.paletted(b), 0o644))
	}
	tab.Width(width)
	Eval[any](tab, theme+" = '"+before+"'")
}

// paletted reduces a PNG to its 256 most frequent colours, which makes it a third as large.
func (tab *Tab) paletted(b []byte) []byte {
	tab.t.Helper()
	in, err := png.Decode(bytes.NewReader(b))
	tab.must(err)
	count := map[color.Color]int{}
	for y := range in.Bounds().Dy() {
		for x := range in.Bounds().Dx() {
			count[in.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return cmp.Compare(count[b], count[a]) })
	out := image.NewPaletted(in.Bounds(), colours[:min(len(colours), 256)])
	draw.Draw(out, out.Bounds(), in, image.Point{}, draw.Src)
	var small bytes.Buffer
	tab.must((&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, out))
	return small.Bytes()
}

// Problems returns the errors of scripts, rejected promises, and violations of the policy.
func (tab *Tab) Problems() []string {
	tab.t.Helper()
	in := Eval[[]string](tab, "window.problems")
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return append(in, tab.problems...)
}

// Requests returns the requested addresses, except for those made in the
// page itself.
func (tab *Tab) Requests() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	var out []string
	for _, u := range tab.requests {
		if !strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") {
			out = append(out, u)
		}
	}
	return out
}

// CPU returns the CPU seconds of the page's main thread so far.
func (tab *Tab) CPU() float64 {
	tab.t.Helper()
	for _, m := range call(tab, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	return 0
}

// Axe returns the findings of axe-core, one per line. It first ends all fades, because nothing has contrast while it is
// half transparent.
func (tab *Tab) Axe() []string {
	tab.t.Helper()
	path := filepath.Join(services.Home(), "axe", "axe.min.js")
	script, err := os.ReadFile(path)
	if err != nil {
		services.Missing(tab.t, "axe-core")
	}
	if !Eval[bool](tab, "!!window.axe") {
		Eval[any](tab, string(script)+";true")
	}
	Eval[any](tab, `document.getAnimations().forEach((a) => { if (a.effect.getComputedTiming().endTime < Infinity) a.finish() })`)
	found := Eval[string](tab, `axe.run({ resultTypes: ['violations'] }).then((r) => JSON.stringify(r.violations.map((v) =>
		v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message || '')).join(' | '))))`)
	var out []string
	tab.must(json.Unmarshal([]byte(found), &out))
	return out
}
