package main

import (
	"fmt"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/text"
	"github.com/spf13/pflag"
)

// indexFlags are the flags that decide how the docId service works. They are stored in an index, and an index
// made with other settings is rejected.
type indexFlags struct {
	profile            string
	changed            func(flag string) bool
	method             methodFlags // some of its settings
	stages             stageFlags
	compare, normalize string
	overrides          string
	images             bool
	ofImages           *pflag.FlagSet // settings of pictures
	common             float64
	bytes              size // of one that POST /v1/images takes
	pixels             int64
	limits             docid.Settings // how long and how many, and nothing else
}

// stageFlags are the flags of the stages url, title and content, which find an article.
type stageFlags struct {
	url, title, content    string
	titleThreshold         float64
	titleAgrees, urlAgrees float64
}

func (f *stageFlags) check() error {
	for name, mode := range map[string]string{"url": f.url, "title": f.title, "content": f.content} {
		if mode != "off" && mode != "exact" && (mode != "near" || name == "url") {
			others := ", near"
			if name == "url" {
				others = ""
			}
			return usage("--%s %s: invalid (want off, exact%s)", name, mode, others)
		}
	}
	return nil
}

const profileClassic = "classic"

func (f *indexFlags) add(fs *pflag.FlagSet) {
	f.changed = fs.Changed
	bind(fs, "serve", flags{"profile": &f.profile, "content": &f.stages.content, "compare": &f.compare})
	bindSpec(fs, "serve", "url", "mode", flags{"mode": &f.stages.url, "agrees": &f.stages.urlAgrees})
	bindSpec(fs, "serve", "title", "mode", flags{
		"mode": &f.stages.title, "threshold": &f.stages.titleThreshold, "agrees": &f.stages.titleAgrees,
	})
	f.bytes = image.DefaultBytes
	f.ofImages = bindSpec(fs, "serve", "images", "on", flags{"on": &f.images, "common": &f.common, "bytes": &f.bytes, "pixels": &f.pixels})
	fs.Lookup("images").NoOptDefVal = "true"
	f.method.only = []string{"containment", "distance", "recall", "shingle", "threshold"}
	f.method.addTo(fs, "Decisions", "method", "threshold")
	bind(fs, "serve", flags{
		"normalize": &f.normalize, "overrides": &f.overrides,
		"window": &f.limits.Window, "ttl": &f.limits.TTL, "backlog": &f.limits.Backlog, "max-articles": &f.limits.MaxMembers,
		"max-candidates": &f.limits.MaxCandidates,
	})
}

// settings makes the settings of an index. It builds the methods once to report a wrong flag as a usage
// error.
func (f *indexFlags) settings() (docid.Settings, error) {
	s := f.limits
	s.URL, s.Title, s.Content = docid.Mode(f.stages.url), docid.Mode(f.stages.title), docid.Mode(f.stages.content)
	n, err := text.ParseNormalizer(f.normalize)
	if err != nil {
		return s, usage("--normalize: %w", err)
	}
	s.Clean = n
	s.Overrides, err = readOverrides(f.overrides)
	if err != nil {
		return s, err
	}
	if f.profile != "" && f.profile != "standard" {
		return s, f.classic()
	}
	s.Titled, err = titled(f.compare)
	if err != nil {
		return s, err
	}
	s.CommonPictures, err = f.pictures()
	if err != nil {
		return s, err
	}
	if s.Titled && f.stages.content == "off" {
		return s, usage("--compare %s has no effect with --content off", f.compare)
	}
	content, err := f.method.choice()
	if err != nil {
		return s, err
	}
	s.ContentMethod = standard.Method(content.String())
	s.TitleMethod = standard.Method(fmt.Sprint("ngram threshold=", f.stages.titleThreshold))
	if f.stages.titleAgrees > 0 {
		s.TitleAgrees = standard.Method(fmt.Sprint("jaccard threshold=", f.stages.titleAgrees))
	}
	if f.stages.urlAgrees > 0 {
		s.URLAgrees = standard.Method(fmt.Sprint("jaccard threshold=", f.stages.urlAgrees))
	}
	if err := f.stages.check(); err != nil {
		return s, err
	}
	for flag, m := range map[string]docid.Maker{"--method": s.ContentMethod, "--title threshold": s.TitleMethod, "--title agrees": s.TitleAgrees, "--url agrees": s.URLAgrees} {
		if m == nil {
			continue
		}
		if _, err := m(0, nil); err != nil {
			return s, usage("%s: %w", flag, err)
		}
	}
	return s, nil
}

// classic checks the profile name and rejects flags that the profile classic fixes or does not have.
func (f *indexFlags) classic() error {
	if f.profile != profileClassic {
		return usage("--profile %q: invalid (want standard or classic)", f.profile)
	}
	var known pflag.FlagSet
	new(indexFlags).add(&known)
	var unasked error
	known.VisitAll(func(flag *pflag.Flag) {
		if name := flag.Name; f.changed(name) && name != "profile" && name != "normalize" && name != "backlog" {
			unasked = usage("--profile classic cannot be combined with --%s", name)
		}
	})
	return unasked
}

// pictures returns the share from which pictures are common, or 0 without --images.
func (f *indexFlags) pictures() (float64, error) {
	var of *pflag.Flag
	f.ofImages.Visit(func(s *pflag.Flag) {
		if s.Name != "on" {
			of = s
		}
	})
	switch {
	case !f.images && of != nil:
		return 0, usage("--images: %s has no effect without pictures (want --images='true %s=%s')", of.Name, of.Name, of.Value)
	case !f.images:
		return 0, nil
	case f.common <= 0 || f.common > 1:
		return 0, usage("--images: common=%g: out of range (want above 0, at most 1)", f.common)
	case f.bytes < 1 || f.pixels < 1:
		return 0, usage("--images: bytes=%s, pixels=%d: too small (want at least 1 each)", &f.bytes, f.pixels)
	}
	return f.common, nil
}

// pictureLimits returns the limits for pictures to hash, or nil if the service accepts none.
func (f *indexFlags) pictureLimits() *image.Limits {
	if !f.images {
		return nil
	}
	return &image.Limits{Bytes: int64(f.bytes), Pixels: f.pixels}
}

func titled(compare string) (bool, error) {
	switch corpus.Compare(compare) {
	case "", corpus.OnlyText:
		return false, nil
	case corpus.TitleAndText:
		return true, nil
	}
	return false, usage("--compare %q: invalid (want %q or %q)", compare, corpus.OnlyText, corpus.TitleAndText)
}
