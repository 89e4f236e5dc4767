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
	StageOverride Stage = "override" // a person ruled that the two are one
	StageURL      Stage = "url"
	StageTitle    Stage = "title"
	StageContent  Stage = "content"
)

// Mode is how a stage matches. The empty Mode is Off.
type Mode string

const (
	Off   Mode = "off"
	Exact Mode = "exact"
	Near  Mode = "near" // content and title only
)

// Maker makes a method for an index: with its secret seed and its table.
type Maker func(seed uint64, table []byte) (neardup.Method, error)

// Settings are the settings of an index. Those that change decisions are part of the index: opening it with
// others is ErrUnlike. Without a stage, url and content are Exact.
type Settings struct {
	Clean               neardup.Cleaner // nil: texts are clean as they come
	URL, Title, Content Mode
	// TitleMethod and ContentMethod are for stages that are near.
	TitleMethod, ContentMethod Maker
	// If TitleAgrees is not nil, a title match counts only if its Compare of the two contents is Near or one of
	// them is empty. The title "Weekly report" alone identifies nothing. Use a loose threshold: of the pairs
	// with one title in three labelled corpora, 99 % had contents of Jaccard similarity below .3. (The corpora
	// are terms of service, Chinese articles and manuals.)
	TitleAgrees Maker
	// If URLAgrees is not nil, a url match counts only on the same condition. Without it the url alone
	// identifies, and an article whose content disagrees with the leader's is marked and never kept.
	URLAgrees Maker

	// If Titled is set, every method of the stage content compares title and text, with the title on a line before
	// the text. TitleAgrees and URLAgrees still compare texts only.
	Titled bool

	// If CommonPictures is not 0, the pictures of articles confirm and contradict their texts. A picture that more than
	// this share of the docIds have, such as a logo, is ignored.
	CommonPictures float64

	// Overrides are rulings of people about pairs of articles, by nid; nil: none.
	Overrides *override.Set

	// Window bounds how old a leader may be to be matched; 0: any age.
	Window time.Duration
	// TTL is after how long a docId is due to expire; 0: never.
	TTL time.Duration
	// MaxCandidates bounds the comparisons of one submission. One that needs more is refused with ErrHotBucket. 0: 10,000.
	MaxCandidates int
	// MaxMembers is the quota of articles, those that were deleted not counted; 0: none.
	MaxMembers int
	// Backlog bounds the changes that wait for the sinks: from there on
	// articles are refused with ErrBacklog. 0: none.
	Backlog uint64
	// CacheBytes bounds the cache of views. 0: 64 MiB.
	CacheBytes int
	// Semaphore bounds the long judgements; detectors of one process should share
	// one. nil: one for this detector, of half the processors.
	Semaphore *Semaphore
	// Identity makes the identity of a new index; nil draws one at random.
	Identity func(spec string) (Identity, error)
	// If Lost is not nil, it is called when the index has only changes up to has, and a sink has seen a later
	// one. An epoch has begun by then.
	Lost func(has, seen uint64)
	// Now is the clock that times are recorded from; nil: time.Now.
	Now func() time.Time
}

// cascade is Settings made ready for one index.
type cascade struct {
	Settings
	title, content, agrees, urlAgrees neardup.Method
	// disagrees detects contents that contradict each other if no agreement is required. It decides nothing, so
	// it is not part of the spec.
	disagrees neardup.Method
	nameKey   []byte // of the hashes of urls and titles
	routed    string // the method that judges contents
	// the clean forms of the end of a line, between two texts and at the end
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

// maxAge is the longest window and TTL, a century, so that adding one to a time never overflows.
const maxAge = 100 * 365 * 24 * time.Hour

func (s Settings) valid() error {
	for stage, mode := range map[Stage]Mode{StageURL: s.URL, StageTitle: s.Title, StageContent: s.Content} {
		if mode != "" && mode != Off && mode != Exact && mode != Near {
			return fmt.Errorf("%w: stage %s cannot be %q", ErrInvalid, stage, mode)
		}
	}
	switch {
	case s.Window < 0 || s.Window > maxAge, s.TTL < 0 || s.TTL > maxAge:
		return fmt.Errorf("%w: a window of %s or a TTL of %s is not within 0 and %s", ErrInvalid, s.Window, s.TTL, maxAge)
	case s.MaxCandidates < 0 || s.MaxMembers < 0:
		return fmt.Errorf("%w: %d candidates, %d members", ErrInvalid, s.MaxCandidates, s.MaxMembers)
	case s.URL == Near:
		return fmt.Errorf("%w: stage url cannot be near", ErrInvalid)
	case s.Title == Near && s.TitleMethod == nil, s.Content == Near && s.ContentMethod == nil:
		return fmt.Errorf("%w: a stage that is near needs a method", ErrInvalid)
	case !(s.CommonPictures >= 0 && s.CommonPictures <= 1):
		return fmt.Errorf("%w: pictures are common from a share of %g on: it is 0 to 1", ErrInvalid, s.CommonPictures)
	case s.Titled && !on(s.Content):
		return fmt.Errorf("%w: titles are to be compared with their texts, and no text is compared", ErrInvalid)
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

// textOf returns the text that a view of a kind compares. For contents it is what Clean makes of title and text
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
