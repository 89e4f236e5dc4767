package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// poorWords are words for which the style of the project has better ones, in pages of documentation.
var poorWords = map[*regexp.Regexp]string{
	regexp.MustCompile(`(?i)\b(is|are) no [a-z]+`): "is not a",
	regexp.MustCompile(`(?i)\bis none of\b`):       "is not one of",
	regexp.MustCompile(`(?i)\b(what|that|text|page) goes\b|\bgoes( too| for| only|[,.;])|\b(is|are|has|have) gone\b`): "is removed, has expired",
	regexp.MustCompile(`(?i)\b(nobody|somebody|whoever|who (must|has|have|wants))\b`):                                 "the caller, the reader",
	regexp.MustCompile(`(?i)\b(beside|of before|as before|behind)\b`):                                                 "along with, after, earlier",
	regexp.MustCompile(`(?i)\b(so many|so much|many a)\b`):                                                            "the limit, at most N",
	regexp.MustCompile(`(?i)\b(anew|once more|made again|comes again|likewise)\b`):                                    "again, also",
	regexp.MustCompile(`(?i)\b(parted|found out|at hand|dear|cannot be had)\b`):                                       "split, detected, available, expensive",
	regexp.MustCompile(`(?i)\b(is|are) told\b|\btells? (of|how|what|that)\b`):                                         "reports, prints",
	regexp.MustCompile(`(?i)\bwhat is more\b|, too[.;,]`):                                                             "also",
	regexp.MustCompile(`(?i)\((\d+|[a-z]+) (asked|aimed)( for)?\)|\b(asked|aimed) for\b`):                             "goal",
}

var (
	// quotation is what a page quotes from programs and texts.
	quotation = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\"[^\"\n]*\"|\\*[^*\n]*\\*")
)

// mostWords is how many words README, DESIGN, CHANGELOG and docs/ may have together, code included.
const mostWords = 25_000

// TestPagesAreShort counts the words of the pages: what stands between spaces and has a letter or a digit.
func TestPagesAreShort(t *testing.T) {
	total, most, longest := 0, 0, ""
	for _, page := range tracked(t) {
		if !isPage(page) || page == "README.zh-CN.md" {
			continue
		}
		n := wordsOf(readPage(t, page))
		total += n
		if n > most {
			longest, most = page, n
		}
	}
	t.Logf("%d words", total)
	if total > mostWords {
		t.Errorf("the pages have %d words, at most %d (the longest is %s with %d)", total, mostWords, longest, most)
	}
}

// wordsOf counts the fields of a text that have a letter or a digit, so bars and rules of tables do not count.
func wordsOf(text string) (n int) {
	for field := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(field, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// isPage reports whether a file is README, DESIGN or CHANGELOG, or a page of docs/.
func isPage(name string) bool {
	return strings.HasSuffix(name, ".md") && (!strings.Contains(name, "/") || strings.HasPrefix(name, "docs/"))
}

// TestPagesUsePlainWords checks README, DESIGN, CHANGELOG, docs/ and the texts of --help, without code and quotations.
func TestPagesUsePlainWords(t *testing.T) {
	for _, page := range tracked(t) {
		if isPage(page) || page == "cmd/neardup/help.txt" || page == "cmd/neardup/flags.txt" {
			for _, problem := range pageProblems(readPage(t, page)) {
				t.Errorf("%s:%s", page, problem)
			}
		}
	}
}

// pageProblems returns the poor words of a page with their lines.
func pageProblems(page string) (problems []string) {
	text := quotation.ReplaceAllStringFunc(page, func(quoted string) string {
		return strings.Repeat("\n", strings.Count(quoted, "\n"))
	})
	for i, line := range strings.Split(text, "\n") {
		for poor, better := range poorWords {
			for _, found := range poor.FindAllString(line, -1) {
				problems = append(problems, fmt.Sprintf("%d: %q, better: %s", i+1, found, better))
			}
		}
	}
	return problems
}

var (
	// poorInCode are words that comments, errors and help avoid.
	poorInCode = regexp.MustCompile(`\b(is no [a-z]+|are no [a-z]+|is none of|anew|nobody|whoever|so many|so much|of before|likewise|cannot be had|made again|` +
		`once more|who (has|have|reads|asks|begins|follows|comes)|(is|are) told|tells (of|how|what|that)|found out)\b`)
	// prose is a comment of Go, JavaScript or Python, or a string of a dozen bytes or more.
	prose = regexp.MustCompile(`//.*|#.*|"(?:[^"\\]|\\.){12,}"`)
	// plain are uses of these words that are right, and names in code.
	plain = regexp.MustCompile("`[^`]*`|\\.anew|[Tt]here (is|are) no|(is|are) no (longer|larger|other)")
	// adverbs may stand between the name of a function and its verb.
	adverbs = map[string]bool{"never": true, "also": true, "durably": true}
)

// quoting are the files whose strings are texts to decide on, not text of ours.
var quoting = map[string]bool{
	"bench/decision/kinds.go":               true, // made pairs
	"bench/dictionaries/keyword/english.go": true, // stop words
	"feature/keyword/stopwords.go":          true,
	"internal/lint/prose_test.go":           true, // the words themselves
}

// TestCodeUsesPlainWords checks the comments and strings of Go, Python and JavaScript.
func TestCodeUsesPlainWords(t *testing.T) {
	for _, name := range tracked(t) {
		ending := filepath.Ext(name)
		if (ending != ".go" && ending != ".py" && ending != ".js") || strings.HasSuffix(name, "_test.go") || quoting[name] || strings.Contains(name, "testdata/") {
			continue
		}
		for _, problem := range codeProblems(readPage(t, name)) {
			t.Errorf("%s:%s", name, problem)
		}
	}
	for _, s := range sources(t) {
		if s.isTest() || strings.HasPrefix(s.path, "bench/") || strings.HasPrefix(s.path, "internal/test/") {
			continue
		}
		for _, problem := range commentProblems(s.file) {
			t.Errorf("%s: %s", s.at(problem.pos), problem.text)
		}
	}
}

// codeProblems returns the poor words of comments and strings with their lines.
func codeProblems(file string) (problems []string) {
	for i, line := range strings.Split(file, "\n") {
		for _, p := range prose.FindAllString(line, -1) {
			for _, found := range poorInCode.FindAllString(plain.ReplaceAllString(p, ""), -1) {
				problems = append(problems, fmt.Sprintf("%d: %q is not a plain word: %s", i+1, found, p))
			}
		}
	}
	return problems
}

// commentProblems returns the comments of functions that do not start with the name and a verb in the third person, or with two
// names and a verb in the plural.
func commentProblems(file *ast.File) (found []finding) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Doc == nil {
			continue
		}
		words := append(strings.Fields(f.Doc.Text()), "", "")
		verb := strings.Trim(words[1], ",.;:")
		copula := verb == "is" || verb == "was" || verb == "says" || verb == "tells" || verb == "has"
		switch {
		case words[0] != f.Name.Name && words[0] != f.Name.Name+",":
			found = append(found, finding{f.Pos(), "the comment of " + f.Name.Name + " does not start with its name"})
		case copula || (!strings.HasSuffix(verb, "s") && !adverbs[verb] && verb != "and"):
			found = append(found, finding{f.Pos(), "the comment of " + f.Name.Name + " does not say what it does"})
		}
	}
	return found
}

// subjectsSince is the commit from which on subjects of commits have one form.
const subjectsSince = "1c98e4d3cd16"

// subject is the form of the subject of a commit.
var subject = regexp.MustCompile(`^[A-Za-z0-9_.,/ -]+: [a-z\x60]`)

// plainSubject reports whether a subject reads "package: verb ..." in at most 72 bytes.
func plainSubject(s string) bool { return len(s) <= 72 && subject.MatchString(s) }

// TestCommitSubjects checks subjects, but those of merges. It checks nothing in an archive or a shallow clone, which lack the
// history.
func TestCommitSubjects(t *testing.T) {
	list := exec.Command("git", "log", "--no-merges", "--format=%h %s", subjectsSince+"..HEAD")
	list.Dir = root()
	out, err := list.Output()
	if err != nil {
		t.Log(err)
	}
	for line := range strings.Lines(string(out)) {
		if hash, s, _ := strings.Cut(strings.TrimSpace(line), " "); !plainSubject(s) {
			t.Errorf("%s: %q (want \"package: verb ...\" in at most 72 bytes)", hash, s)
		}
	}
}

// TestPlantedSentencesAreFound plants a sentence of each kind that the style of the project refuses.
func TestPlantedSentencesAreFound(t *testing.T) {
	pages := map[string]int{
		"A text of 40 words is no duplicate.":          1,
		"Want is none of these.":                       1,
		"The text goes if a kept one has it.":          1,
		"Whoever calls it closes it.":                  1,
		"The copy lies behind the log.":                1,
		"Give it so many bytes.":                       1,
		"It begins anew, and likewise the log.":        2,
		"A loss is found out at once.":                 1,
		"A duplicate is told so.":                      1,
		"Pictures count, too.":                         1,
		"It took 3 s (2 asked).":                       1,
		"The words `is no duplicate` are quoted.":      0,
		"The reader reports *is told* in italics.":     0,
		"```\nis no duplicate\n```\nA plain sentence.": 0,
	}
	for page, want := range pages {
		if got := pageProblems(page); len(got) != want {
			t.Errorf("page %q: %q, want %d problems", page, got, want)
		}
	}
	lines := map[string]int{
		"// sweep runs once more.":                        1,
		"x := 1 // nobody reads it":                       1,
		`errors.New("--tmp x is no folder")`:              1,
		"# who has the token decides":                     1,
		"nobody := 1":                                     0,
		"// there is no folder":                           0,
		"// the names `nobody` and `anew` are words here": 0,
	}
	for line, want := range lines {
		if got := codeProblems(line); len(got) != want {
			t.Errorf("line %q: %q, want %d problems", line, got, want)
		}
	}
	comments := map[string]int{
		"// f is the folder.": 1, "// f says where x is.": 1, "// The folder of x.": 1, "// f: the folder.": 1, "// f the folder.": 1,
		"// f returns the folder.": 0, "// f never fails.": 0, "// f and g read x.": 0,
	}
	for comment, want := range comments {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n\n"+comment+"\nfunc f() {}\n", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := commentProblems(file); len(got) != want {
			t.Errorf("comment %q: %d problems, want %d", comment, len(got), want)
		}
	}
	for s, want := range map[string]bool{
		"docs: rewrite the pages": true, "cmd/neardup, docs: say more": true, "Rewrite the pages": false, "docs: Rewrite the pages": false,
		"docs: " + strings.Repeat("x", 66): true, "docs: " + strings.Repeat("x", 67): false,
	} {
		if plainSubject(s) != want {
			t.Errorf("subject %q: %v, want %v", s, !want, want)
		}
	}
	if n := wordsOf("| a | 2 |\n|---|---|\n- `x y`"); n != 4 {
		t.Errorf("%d words, want 4", n)
	}
}
