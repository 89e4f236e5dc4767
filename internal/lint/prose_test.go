package lint

import (
	"os/exec"
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

// TestPagesUsePlainWords checks README, DESIGN, CHANGELOG and docs/, without code and quotations.
func TestPagesUsePlainWords(t *testing.T) {
	for _, page := range tracked(t) {
		if !isPage(page) {
			continue
		}
		text := quotation.ReplaceAllStringFunc(readPage(t, page), func(quoted string) string {
			return strings.Repeat("\n", strings.Count(quoted, "\n"))
		})
		for i, line := range strings.Split(text, "\n") {
			for poor, better := range poorWords {
				for _, found := range poor.FindAllString(line, -1) {
					t.Errorf("%s:%d: %q, better: %s", page, i+1, found, better)
				}
			}
		}
	}
}

var (
	// poorInCode are words that comments, errors and help avoid.
	poorInCode = regexp.MustCompile(`\b(is no [a-z]+|are no [a-z]+|is none of|anew|nobody|whoever|so many|so much|of before|likewise|cannot be had|made again|` +
		`once more|who (has|have|reads|asks|begins|follows|comes)|(is|are) told|tells (of|how|what|that)|found out)\b`)
	// prose is a comment or a string of a dozen bytes or more.
	prose = regexp.MustCompile(`//.*|"(?:[^"\\]|\\.){12,}"`)
	// plain are uses of these words that are right, and names in code.
	plain = regexp.MustCompile("`[^`]*`|\\.anew|[Tt]here (is|are) no|(is|are) no (longer|larger|other)")
	// copula begins a comment that defines a function instead of saying what it does.
	copula = regexp.MustCompile(`(?m)^// (\w+) (?:is|are|was|says|tells)\b[^\n]*\n(?:// [^\n]*\n)*func (?:\([^)]*\) )?(\w+)`)
)

// TestCodeUsesPlainWords checks the comments and strings of Go files. bench is left out, whose programs quote texts.
func TestCodeUsesPlainWords(t *testing.T) {
	for _, name := range tracked(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "bench/") {
			continue
		}
		file := readPage(t, name)
		for i, line := range strings.Split(file, "\n") {
			for _, p := range prose.FindAllString(line, -1) {
				for _, found := range poorInCode.FindAllString(plain.ReplaceAllString(p, ""), -1) {
					t.Errorf("%s:%d: %q is not a plain word: %s", name, i+1, found, p)
				}
			}
		}
		for _, m := range copula.FindAllStringSubmatch(file, -1) {
			if m[1] == m[2] {
				t.Errorf("%s: the comment of %s does not say what it does", name, m[1])
			}
		}
	}
}

// subjectsSince is the commit from which on subjects of commits have one form.
const subjectsSince = "1c98e4d3cd16"

// TestCommitSubjects checks that subjects, but those of merges, read "package: verb ..." in at most 72 bytes. It checks nothing in an archive or a
// shallow clone, which lack the history.
func TestCommitSubjects(t *testing.T) {
	form := regexp.MustCompile(`^[A-Za-z0-9_.,/ -]+: [a-z\x60]`)
	list := exec.Command("git", "log", "--no-merges", "--format=%h %s", subjectsSince+"..HEAD")
	list.Dir = root()
	out, err := list.Output()
	if err != nil {
		t.Log(err)
	}
	for line := range strings.Lines(string(out)) {
		hash, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		if len(subject) > 72 || !form.MatchString(subject) {
			t.Errorf("%s: %q (want \"package: verb ...\" in at most 72 bytes)", hash, subject)
		}
	}
}
