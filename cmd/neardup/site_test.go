//go:build full

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/test/browser"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// remote is what a page or a style sheet loads from elsewhere; links that people follow are not.
var remote = regexp.MustCompile(`(?i)(src\s*=\s*["']?|<link[^>]*href\s*=\s*["']?|url\(["']?|@import\s+["']?)(https?:)?//[^"') >]*`)

// TestGuides: a guide to the command is short, and its commands have only flags that there are. That to Go has no commands;
// its blocks are examples, which run as tests of their packages.
func TestGuides(t *testing.T) {
	guides, err := filepath.Glob(filepath.Join("..", "..", "docs", "guides", "*.md"))
	guides = slices.DeleteFunc(guides, func(guide string) bool { return filepath.Base(guide) == "go.md" })
	if err != nil || len(guides) != 5 {
		t.Fatal(guides, err)
	}
	for _, guide := range guides {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(strings.Fields(string(text))); n > 150 {
			t.Errorf("%s has %d words", guide, n)
		}
		lines := regexp.MustCompile(`(?m)^neardup ([^#\n]*)`).FindAllStringSubmatch(string(text), -1)
		if len(lines) != 3 {
			t.Errorf("%s has %d commands", guide, len(lines))
		}
		for _, m := range lines {
			cmd, args, err := newRoot(&app{}).Find(strings.Fields(m[1]))
			if err == nil {
				err = cmd.ParseFlags(args)
			}
			if err != nil && !errors.Is(err, pflag.ErrHelp) {
				t.Errorf("%s: neardup %s: %v", guide, m[1], err)
			}
		}
	}
}

// TestSite: one command makes the site, and every link of it leads somewhere (mkdocs is strict);
// the reference has each command, route and type; nothing is loaded from elsewhere, and
// no page is wider than the screen.
func TestSite(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing concurrent")
	}
	site := filepath.Join(t.TempDir(), "site")
	if out, err := exec.Command(filepath.Join("..", "..", "scripts", "site"), site).CombinedOutput(); err != nil {
		t.Fatalf("scripts/site: %v\n%s", err, out)
	}
	pages := 0
	err := filepath.WalkDir(site, func(path string, d fs.DirEntry, err error) error {
		if err != nil || (!strings.HasSuffix(path, ".html") && !strings.HasSuffix(path, ".css")) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range remote.FindAllString(string(text), -1) {
			t.Errorf("%s loads %s", path, m)
		}
		pages++
		return err
	})
	if err != nil || pages < 45 {
		t.Errorf("%d pages, %v", pages, err)
	}
	var commands []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.Hidden && sub.IsAvailableCommand() && sub.Name() != "completion" {
				commands = append(commands, sub.CommandPath()+"</h2>")
				walk(sub)
			}
		}
	}
	walk(newRoot(&app{}))
	for _, report := range []string{"laws", "licences", "manual"} {
		if text, err := os.ReadFile(filepath.Join(site, "docs", "gallery", report+".html")); err != nil || len(text) > 1<<20 {
			t.Errorf("%s: %d bytes, %v", report, len(text), err)
		}
	}
	for page, wants := range map[string][]string{
		"commands": commands,
		"api":      {"POST /v1/articles</h2>", "<code>variantOf</code>"},
		"go":       {"neardup/batch</h2>", "func Dedup("},
		"python":   {"neardup.dedup</h2>", "neardup.images.dedup</h2>"},
	} {
		text, err := os.ReadFile(filepath.Join(site, "reference", page+".html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("the reference of %s has no %s", page, want)
			}
		}
	}
	tab := browser.Open(t, 390)
	for _, page := range []string{"index", "docs/formats", "docs/benchmarks", "docs/for/text-dedup", "docs/guides/agent", "reference/commands", "reference/api"} {
		tab.Go(filepath.Join(site, page+".html"))
		tab.Wait(`document.readyState === 'complete'`)
		for _, width := range []int64{390, 1280} {
			tab.Width(width)
			tab.Wait(fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, width))
		}
		for _, url := range tab.Requests() {
			if !strings.HasPrefix(url, "file://"+site) {
				t.Errorf("%s asks for %s", page, url)
			}
		}
	}
}
