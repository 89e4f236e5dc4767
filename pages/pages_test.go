package pages

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/methods"
)

func sources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("js/*.js")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	out := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".js")] = string(b)
	}
	return out
}

// What joins modules is written in the one form that Script knows, and nothing
// is used before it is there.
func TestModulesCanBeJoined(t *testing.T) {
	anyImport := regexp.MustCompile(`(?m)^\s*import\b.*$`)
	anyExport := regexp.MustCompile(`(?m)^\s*export\b.*$`)
	for name, text := range sources(t) {
		at := slices.Index(modules, name)
		if at < 0 {
			t.Errorf("%s.js is not among the modules", name)
			continue
		}
		for _, line := range anyImport.FindAllString(text, -1) {
			m := importLine.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s.js: %q is not in the form that can be joined", name, line)
			} else if before := slices.Index(modules, m[2]); before < 0 || before >= at {
				t.Errorf("%s.js imports %s, which does not come before it", name, m[2])
			}
		}
		for _, line := range anyExport.FindAllString(text, -1) {
			if !exportWord.MatchString(line) {
				t.Errorf("%s.js: %q is not in the form that can be joined", name, line)
			}
		}
	}
}

// Texts of documents become text nodes: nothing that makes markup or code of
// text is used, and nothing names another place.
func TestNothingMakesMarkupOfText(t *testing.T) {
	for name, text := range sources(t) {
		for _, word := range []string{
			"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
			"srcdoc", "createContextualFragment", "document.cookie", "</script", "<!--",
		} {
			if strings.Contains(text, word) {
				t.Errorf("%s.js uses %s", name, word)
			}
		}
		for _, place := range regexp.MustCompile(`https?://[a-z0-9.-]+`).FindAllString(text, -1) {
			if place != "http://www.w3.org" {
				t.Errorf("%s.js names %s", name, place)
			}
		}
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") || strings.Contains(style, "</style") {
		t.Error("the style sheet loads something")
	}
}

func TestEveryWordIsTranslated(t *testing.T) {
	all := sources(t)
	for name, text := range all {
		for _, m := range regexp.MustCompile(`\bt\('((?:[^'\\]|\\.)+)'`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(all["i18n"], "'"+m[1]+"': '") {
				t.Errorf("%s.js: no Chinese for %q", name, m[1])
			}
		}
	}
}

// So is all evidence of the default method.
func TestEveryEvidenceIsTranslated(t *testing.T) {
	words := []string{methods.Basis, methods.BasisSure, neardup.BasisEqual, neardup.BasisContained, neardup.BasisOverride, neardup.BasisBlank, neardup.KindMore, neardup.KindContained}
	for _, f := range evidence.Features() {
		words = append(words, f.String())
	}
	_, table, _ := strings.Cut(sources(t)["i18n"], "const zhData =")
	for _, word := range words {
		if !regexp.MustCompile(`[ ,']` + regexp.QuoteMeta(word) + `'?: '`).MatchString(table) {
			t.Errorf("no Chinese for %q", word)
		}
	}
}

func TestWeight(t *testing.T) {
	var b bytes.Buffer
	p, err := New(&b, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 300<<10 {
		t.Errorf("a page without data weighs %d bytes", b.Len())
	}
}

func TestPageEscapesItsTitleAndRefusesNames(t *testing.T) {
	var b bytes.Buffer
	p, err := New(&b, "</title><script>&")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "<title>&lt;/title>&lt;script>&amp;</title>") {
		t.Error("the title is markup")
	}
	for _, name := range []string{"", `x"`, "x y", "<"} {
		if p.Add(Part{Name: name}) == nil {
			t.Errorf("a part is named %q", name)
		}
	}
	if !strings.Contains(b.String(), "default-src 'none'; script-src 'sha256-") || !strings.Contains(b.String(), "; img-src data:;") || strings.Contains(Policy("", ""), "unsafe") {
		t.Error("the policy is not strict")
	}
	if !strings.HasSuffix(Policy("", "", "'self'"), "; connect-src 'self'") {
		t.Error("connect-src")
	}
}

// The joined script holds every module, in order, and no import is left; the
// live page may run it and nothing else, and only a page starts it.
func TestScriptOfThePages(t *testing.T) {
	script, err := Script()
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, name := range modules {
		next := strings.Index(script[at:], "modules."+name+" = ")
		if next < 0 {
			t.Fatalf("module %s is missing or out of order", name)
		}
		at += next
	}
	if strings.Contains(script, "\nimport ") || strings.Contains(script, "\nexport ") {
		t.Error("an import or export is left")
	}
	page, policy, err := Live()
	if err != nil || policy != Policy(script, style, "'self'") || bytes.Count(page, []byte(script)) != 1 {
		t.Errorf("live page: policy %q, the script is there %d times, %v", policy, bytes.Count(page, []byte(script)), err)
	}
	var b bytes.Buffer
	p, err := New(&b, "early")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Start(), p.Add(Part{Name: "late"}), p.Close()); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), script) != 1 || strings.Index(b.String(), script) > strings.Index(b.String(), `id="late"`) {
		t.Error("a page that was started early does not have its script once, before the parts")
	}
}

// Every English text has a Chinese translation, and no translation is unused.
func TestEverythingIsSaidInChinese(t *testing.T) {
	all := sources(t)
	table, _, _ := strings.Cut(all["i18n"][strings.Index(all["i18n"], "const zh ="):], "};")
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`['"]?((?:[^'\\\n]|\\.)+?)'?: '`).FindAllStringSubmatch(table, -1) {
		known[strings.TrimLeft(m[1], " ,'")] = true
	}
	said, quoted := regexp.MustCompile(`\bt\('((?:[^'\\]|\\.)*)'`), map[string]bool{}
	for name, text := range all {
		if name == "i18n" {
			continue
		}
		for _, m := range said.FindAllStringSubmatch(text, -1) {
			if !known[m[1]] {
				t.Errorf("%s.js says %q, in English only", name, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`'((?:[^'\\\n]|\\.)*)'`).FindAllStringSubmatch(text, -1) {
			quoted[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`(\w+):`).FindAllStringSubmatch(text, -1) {
			quoted[m[1]] = true
		}
	}
	for word := range known {
		if !quoted[word] {
			t.Errorf("nobody says %q", word)
		}
	}
	if len(known) < 100 {
		t.Errorf("%d words", len(known))
	}
}
