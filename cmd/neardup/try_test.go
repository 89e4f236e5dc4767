//go:build full

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/test/browser"
)

// tryPage opens the page "Try it" in a browser, compares two texts, and deduplicates 20,000 rows as the command does.
// The page asks for its own files only, and may connect to nothing.
func tryPage(t *testing.T, made string) {
	site := filepath.Join(t.TempDir(), "try")
	inFolder(t, ".", "python3", filepath.Join("..", "..", "docs", "site", "try.py"), made, site)
	served := httptest.NewServer(http.FileServer(http.Dir(site)))
	t.Cleanup(served.Close)
	tab := browser.Open(t, 1280)
	tab.Go(served.URL + "/")
	tab.Wait("document.body.dataset.ready")
	tryCompare(t, tab)
	rows := rowsOfCSV(20_000)
	name := filepath.Join(t.TempDir(), "rows.csv")
	write(t, name, []byte(rows))
	tryFile(t, tab, rows, name)
	for _, width := range []int64{1280, 390} {
		tab.Width(width)
		for _, theme := range []string{"light", "dark"} {
			browser.Eval[any](tab, "document.documentElement.dataset.theme = '"+theme+"'")
			if cut := browser.Eval[int](tab, "[...document.querySelectorAll('.panel')].filter((e) => e.scrollWidth > e.clientWidth).length"); cut > 0 {
				t.Errorf("%d panels are wider than the screen of %d", cut, width)
			}
			if wide := browser.Eval[int64](tab, "document.documentElement.scrollWidth"); wide > width {
				t.Errorf("%d pixels wide, on a screen of %d", wide, width)
			}
			for _, found := range tab.Axe() {
				t.Errorf("%s, %d: %s", theme, width, found)
			}
		}
	}
	requests := tab.Requests()
	for i, r := range requests {
		requests[i], _ = strings.CutPrefix(r, served.URL+"/")
	}
	slices.Sort(requests)
	if want := []string{"", "dom.js", "engine.js", "style.css", "tables.js", "text.js", "try.js"}; !slices.Equal(slices.Compact(requests), want) {
		t.Errorf("it asks for %q, want %q", requests, want)
	}
	if problems := tab.Problems(); len(problems) > 0 {
		t.Error(problems)
	}
	refused := browser.Eval[bool](tab, "fetch(location.href).then(() => false, () => true)")
	if !refused || len(tab.Problems()) == 0 {
		t.Error("the page may connect")
	}
}

// tryCompare compares the texts of the page, and Chinese ones, whose tables are loaded only then.
func tryCompare(t *testing.T, tab *browser.Tab) {
	press := "document.querySelector('#pair button').click()"
	browser.Eval[any](tab, press)
	tab.Wait("document.querySelector('#pair .chip')")
	if got := browser.Eval[string](tab, "document.querySelector('#pair .result').innerText"); !strings.Contains(got, "variant") || !strings.Contains(got, "number") {
		t.Errorf("the page says %q", got)
	}
	if slices.ContainsFunc(tab.Requests(), func(r string) bool { return strings.HasSuffix(r, "tables.js") }) {
		t.Error("the tables of Chinese are loaded for English texts")
	}
	browser.Eval[any](tab, "document.querySelectorAll('#pair textarea').forEach((a, i) => a.value = ['渡轮九点开往岛上。', '渡轮九点 开往岛上！'][i]), "+press)
	tab.Wait("document.querySelector('#pair .chip.gone')")
}

// tryFile deduplicates a file, and compares its digest and the saved files with those of the command.
func tryFile(t *testing.T, tab *browser.Tab, rows, name string) {
	quoted, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	from := time.Now()
	browser.Eval[any](tab, `(() => { const d = new DataTransfer(); d.items.add(new File([`+string(quoted)+`], 'rows.csv'));
		document.querySelector('#file input[type=file]').files = d.files; document.querySelector('#file .primary').click(); })()`)
	tab.Wait("document.querySelector('#file [role=status]')?.textContent.includes(' of ')")
	tab.Wait("document.querySelector('#digest, #file [role=alert]')")
	took := time.Since(from)
	kept, decided := filepath.Join(t.TempDir(), "kept.csv"), filepath.Join(t.TempDir(), "decisions.jsonl")
	from = time.Now()
	code, stdout, stderr := command(t, "dedup", "--json", name, "--out", kept, "--decisions", decided)
	t.Logf("%d bytes: %v in the page, %v by the command", len(rows), took, time.Since(from))
	var want struct{ Digest string }
	if err := json.Unmarshal([]byte(stdout), &want); err != nil || code != 0 {
		t.Fatal(code, err, stderr)
	}
	if got := browser.Eval[string](tab, "document.querySelector('#file .result').innerText"); !strings.Contains(got, want.Digest) {
		t.Fatalf("the page says %.500q, want the digest %s", got, want.Digest)
	}
	for i, file := range []string{"kept-rows.csv", "decisions.jsonl"} {
		browser.Eval[any](tab, fmt.Sprintf("document.querySelectorAll('#file .row-line button')[%d].click()", i))
		saved := filepath.Join(t.TempDir(), file)
		write(t, saved, []byte(tab.Saved(file)))
		sameFile(t, saved, []string{kept, decided}[i])
	}
	browser.Eval[any](tab, "document.querySelector('.member .row-line button').click()")
	tab.Wait("document.querySelector('.member table, .member h2')")
}
