package docid

import (
	"fmt"
	"strings"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/override"
)

// Stage is a step of the cascade. Stages are tried in the order override, url,
// title, content, and the first that matches decides.
type Stage string

const (
	StageOverride Stage = "override" // a person has linked the two
	StageURL      Stage = "url"
	StageTitle    Stage = "title"
	StageContent  Stage = "content"
)

// Mode is how a stage matches. The empty Mode is Off.
type Mode string

const (
	Off   Mode = "off"
	Exact Mode = "exact"
	Near  Mode = "near" // only for content and title
)

// Maker makes a method for an index, with the secret seed and the table of the index.
type Maker func(seed uint64, table []byte) (neardup.Method, error)

// Settings are the settings of an index. The index stores those that change decisions, and returns ErrUnlike if it is
// opened with others. If no stage is set, url and content are Exact.
type Settings struct {
	Clean               neardup.Cleaner // nil if the texts are clean already
	URL, Title, Content Mode
	// TitleMethod and ContentMethod are used by stages with the mode Near.
	TitleMethod, ContentMethod Maker
	// TitleAgrees compares the contents of two articles with one title. If it is not nil, the title only counts if the
	// contents are near or one of them is empty, because a title such as "Weekly report" identifies nothing. Use a loose
	// threshold: in three labelled corpora, 99 % of the pairs with one title had contents of Jaccard similarity below .3.
	// (The corpora are terms of service, Chinese articles and manuals.)
	TitleAgrees Maker
	// URLAgrees compares the contents of two articles with one url in the same way. If it is nil, the url alone identifies
	// a docId. An article whose content disagrees with the leader's is then marked, and is never the kept copy.
	URLAgrees Maker

	// If Titled is set, every method of the stage content compares title and text, with the title on a line before
	// the text. TitleAgrees and URLAgrees still compare texts only.
	Titled bool

	// If CommonPictures is not 0, the pictures of articles confirm and contradict their texts. A picture that more than
	// this share of the docIds have, such as a logo, is ignored.
	CommonPictures float64

	// Overrides are rulings of people about pairs of articles, by nid. May be nil.
	Overrides *override.Set

	// Window is the largest age of a leader that is matched; 0 means any age.
	Window time.Duration
	// TTL is the time after which a docId is due to expire; 0 means never.
	TTL time.Duration
	// MaxCandidates limits the comparisons of one submission. A submission that needs more is refused with ErrHotBucket. 0
	// means 10,000.
	MaxCandidates int
	// MaxMembers is the quota of articles; deleted ones do not count. 0 means no quota.
	MaxMembers int
	// Backlog limits the changes that wait for the sinks. Beyond it, articles are refused with ErrBacklog. 0 means no
	// limit.
	Backlog uint64
	// CacheBytes limits the cache of views; 0 means 64 MiB.
	CacheBytes int
	// Semaphore limits the long comparisons at one time. The detectors of a process should share one. nil means one for
	// this detector, with half of the processors.
	Semaphore *Semaphore
	// Identity makes the identity of a new index. nil draws one at random.
	Identity func(spec string) (Identity, error)
	// Lost is called if the index only has changes up to has, but a sink has seen a later one. A new epoch has begun by
	// then. May be nil.
	Lost func(has, seen uint64)
	// Now is the clock for recorded times; nil means time.Now.
	Now func() time.Time
}

// cascade holds Settings, prepared for one index.
type cascade struct {
	Settings
	title, content, agrees, urlAgrees neardup.Method
	// disagrees compares contents if no agreement is required, to mark those that contradict each other. It changes no
	// decision, so it is not part of the spec.
	disagrees neardup.Method
	nameKey   []byte // key of the hashes of urls and titles
	routed    string // name of the method that compares contents
	// The clean form of a line end, between two texts and at the end.
	lineEnd, lastEnd string
}

// build makes the methods and the spec.
func (s Settings) build(seed uint64, table []byte) (cascade, string, error) {
	if s.URL == "" && s.Title == "" && s.Content == "" {
		s.URL, s.Content = Exact, Exact
	}
	c := cascade{Settings: s}
	if err := s.valid(); err != nil {
		return c, "", err
	}
	c.lineEnd = strings.TrimSuffix(strings.TrimPrefix(c.clean("a\na"), "a"), "a")
	c.lastEnd = strings.TrimPrefix(c.clean("a\n"), "a")
	var err error
	make1 := func(m Maker, use bool) neardup.Method {
		if err != nil || m == nil || !use {
			return nil
		}
		var method neardup.Method
		method, err = m(seed, table)
		return method
	}
	c.title = make1(s.TitleMethod, s.Title == Near)
	c.content = make1(s.ContentMethod, s.Content == Near)
	c.agrees = make1(s.TitleAgrees, on(s.Title))
	c.urlAgrees = make1(s.URLAgrees, on(s.URL))
	c.disagrees = c.urlAgrees
	if c.disagrees == nil {
		c.disagrees = make1(s.TitleAgrees, true)
	}
	if c.disagrees == nil {
		c.disagrees = c.content
	}
	c.routed = string(Exact)
	if c.content != nil {
		c.routed = c.content.Spec().Method
	}
	if err != nil {
		return c, "", fmt.Errorf("make the methods of the index: %w", err)
	}
	return c, c.spec(), nil
}

// maxAge is the longest window and TTL: a century, so that adding one to a time never overflows.
const maxAge = 100 * 365 * 24 * time.Hour

func (s Settings) valid() error {
	for stage, mode := range map[Stage]Mode{StageURL: s.URL, StageTitle: s.Title, StageContent: s.Content} {
		if mode != "" && mode != Off && mode != Exact && mode != Near {
			return fmt.Errorf("%w: stage %s cannot be %q", ErrInvalid, stage, mode)
		}
	}
	switch {
	case s.Window < 0 || s.Window > maxAge, s.TTL < 0 || s.TTL > maxAge:
		return fmt.Errorf("%w: window %s or TTL %s: out of range (want 0 to %s)", ErrInvalid, s.Window, s.TTL, maxAge)
	case s.MaxCandidates < 0 || s.MaxMembers < 0:
		return fmt.Errorf("%w: limits of %d candidates and %d members (want at least 0)", ErrInvalid, s.MaxCandidates, s.MaxMembers)
	case s.URL == Near:
		return fmt.Errorf("%w: stage url cannot be near", ErrInvalid)
	case s.Title == Near && s.TitleMethod == nil, s.Content == Near && s.ContentMethod == nil:
		return fmt.Errorf("%w: a stage that is near needs a method", ErrInvalid)
	case !(s.CommonPictures >= 0 && s.CommonPictures <= 1):
		return fmt.Errorf("%w: common=%g of pictures: out of range (want 0 to 1)", ErrInvalid, s.CommonPictures)
	case s.Titled && !on(s.Content):
		return fmt.Errorf("%w: titles need texts for the comparison, but the stage content is missing", ErrInvalid)
	}
	return nil
}

// spec prints the cascade in one line.
func (c *cascade) spec() string {
	clean := "none"
	if c.Clean != nil {
		clean = c.Clean.String()
	}
	parts := []string{"cascade/1", "clean=" + clean, "url=" + modeOf(c.URL, nil),
		"title=" + modeOf(c.Title, c.title), "content=" + modeOf(c.Content, c.content)}
	if c.Titled {
		parts = append(parts, "compare=title,text")
	}
	if c.agrees != nil {
		parts = append(parts, "agrees=("+c.agrees.Spec().String()+")")
	}
	if c.urlAgrees != nil {
		parts = append(parts, "url-agrees=("+c.urlAgrees.Spec().String()+")")
	}
	parts = append(parts, c.extrasSpec()...)
	if c.Overrides.Len() > 0 {
		parts = append(parts, "overrides="+c.Overrides.Digest())
	}
	return strings.Join(parts, " ")
}

// textOf returns the text that a view of a kind represents. For contents it is the result of Clean for title and text
// joined, as in a batch.
func (c *cascade) textOf(kind viewKind, title, text string) string {
	switch {
	case kind == viewTitle:
		return title
	case kind != viewContent || !c.Titled || title == "":
		return text
	case text == "":
		return title + c.lastEnd
	}
	return title + c.lineEnd + text
}

func modeOf(m Mode, method neardup.Method) string {
	switch {
	case method != nil:
		return "near(" + method.Spec().String() + ")"
	case m == "":
		return string(Off)
	}
	return string(m)
}

func (c *cascade) clean(s string) string {
	if c.Clean == nil {
		return s
	}
	return c.Clean.Clean(s)
}

func (c *cascade) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

func (c *cascade) maxCandidates() int {
	if c.MaxCandidates > 0 {
		return c.MaxCandidates
	}
	return 10_000
}
