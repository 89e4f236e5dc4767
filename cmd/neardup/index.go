package main

import (
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
	"github.com/spf13/pflag"
)

// indexFlags say how the docId service decides. They are part of an index:
// one that was made under other settings is refused.
type indexFlags struct {
	profile            string
	changed            func(flag string) bool
	method             methodFlags // some of its settings
	stages             stageFlags
	compare, normalize string
	overrides          string
	images             bool
	common             float64        // of pictures
	limits             docid.Settings // how long and how many, and nothing else
}

// stageFlags say by what an article is found: url, title and content.
type stageFlags struct {
	url, title, content    string
	titleThreshold         float64
	titleAgrees, urlAgrees float64
}

// check refuses modes that are none.
func (f *stageFlags) check() error {
	for name, mode := range map[string]string{"url": f.url, "title": f.title, "content": f.content} {
		if mode != "off" && mode != "exact" && (mode != "near" || name == "url") {
			others := ", near"
			if name == "url" {
				others = ""
			}
			return usage("--%s %s is none of off, exact%s", name, mode, others)
		}
	}
	return nil
}

const profileClassic = "classic"

func (f *indexFlags) add(fs *pflag.FlagSet) {
	f.changed = fs.Changed
	fs.StringVar(&f.profile, "profile", "standard", "standard, or classic: the classic system to the letter, in --index redis://HOST:PORT, by url, SimHash of the title, SimHash of the content within 3 bits, and nothing verified")
	fs.StringVar(&f.stages.url, "url", "exact", "stage url: off or exact (after normalisation)")
	fs.StringVar(&f.stages.title, "title", "exact", "stage title: off, exact or near")
	fs.Float64Var(&f.stages.titleThreshold, "title-threshold", .9, "with --title near: least edit similarity of two titles")
	fs.Float64Var(&f.stages.titleAgrees, "title-agrees", .2, "a title counts only if the contents are at least so similar and no variants, or one is empty; 0: the title alone decides")
	fs.Float64Var(&f.stages.urlAgrees, "url-agrees", 0, "a url counts only if the contents are at least so similar, or the article has none; 0: the url alone decides")
	fs.StringVar(&f.stages.content, "content", "near", "stage content: off, exact or near")
	fs.StringVar(&f.compare, "compare", string(corpus.OnlyText), "what the stage content compares: text, or title,text: the title is a line before the text; part of the index")
	settings := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	f.method.addSettings(settings)
	f.method.fs = pflag.NewFlagSet("method", pflag.ContinueOnError)
	for _, name := range []string{"method", "threshold", "recall", "distance", "shingle", "containment"} {
		f.method.fs.AddFlag(settings.Lookup(name))
	}
	addSpec(fs, f.method.fs, "threshold", "containment")
	fs.BoolVar(&f.images, "images", false, "articles may carry pictures, by their PDQ hashes: they confirm or contradict the texts; part of the index")
	fs.Float64Var(&f.common, "common-images", .001, "with --images: a picture that more than this share of the docIds have, such as a logo, counts for nothing; part of the index")
	fs.StringVar(&f.normalize, "normalize", "default", "normalisation: default, none, or a list of steps")
	fs.StringVar(&f.overrides, "overrides", "", `what people have ruled about pairs of articles, by nid (JSONL: {"a":nid,"b":nid,"link":"must" or "cannot"}); part of the index`)
	fs.DurationVar(&f.limits.Window, "window", 0, "only docIds at most so old count, such as 168h; 0: all")
	fs.DurationVar(&f.limits.TTL, "ttl", 0, "a docId ends after this time; 0: never")
	fs.Uint64Var(&f.limits.Backlog, "backlog", 1_000_000, "changes that may wait for MySQL and HBase; from there on articles are refused with 503; 0: no bound")
	fs.IntVar(&f.limits.MaxMembers, "max-articles", 0, "quota: the most living articles of a tenant; 0: no bound")
	fs.IntVar(&f.limits.MaxCandidates, "max-candidates", 0, "refuse an article that must be compared with more docIds (default 10000)")
}

// settings makes those of an index; the methods are tried once here, so that
// a wrong flag is told as one.
func (f *indexFlags) settings() (docid.Settings, error) {
	s := f.limits
	s.URL, s.Title, s.Content = docid.Mode(f.stages.url), docid.Mode(f.stages.title), docid.Mode(f.stages.content)
	n, err := text.ParseNormalizer(f.normalize)
	if err != nil {
		return s, usage("--normalize: %w", err)
	}
	s.Clean = n
	if s.Overrides, err = readOverrides(f.overrides); err != nil {
		return s, err
	}
	if f.profile != "" && f.profile != "standard" {
		return s, f.classic()
	}
	if s.Titled, err = titled(f.compare); err != nil {
		return s, err
	}
	if s.Pictures, err = f.pictures(); err != nil {
		return s, err
	}
	if s.Titled && f.stages.content == "off" {
		return s, usage("--compare %s has no effect with --content off", f.compare)
	}
	cfg, err := f.method.config()
	if err != nil {
		return s, err
	}
	s.ContentMethod = maker(cfg)
	if cfg.Name == "auto" && cfg.Containment == 0 {
		earlier := cfg
		earlier.Name = methods.Auto2
		s.EarlierMethod = maker(earlier)
	}
	s.TitleMethod = maker(methods.Config{Name: "ngram", Threshold: f.stages.titleThreshold})
	if f.stages.titleAgrees > 0 {
		s.TitleAgrees = maker(methods.Config{Name: "jaccard", Threshold: f.stages.titleAgrees})
	}
	if f.stages.urlAgrees > 0 {
		s.URLAgrees = maker(methods.Config{Name: "jaccard", Threshold: f.stages.urlAgrees})
	}
	if err := f.stages.check(); err != nil {
		return s, err
	}
	for flag, m := range map[string]docid.Maker{"--method": s.ContentMethod, "--title-threshold": s.TitleMethod, "--title-agrees": s.TitleAgrees, "--url-agrees": s.URLAgrees} {
		if m == nil {
			continue
		}
		if _, err := m(0, nil); err != nil {
			return s, usage("%s: %w", flag, err)
		}
	}
	return s, nil
}

// classic is the profile of that name: what it fixes, or does not have, is not asked of other flags.
func (f *indexFlags) classic() error {
	if f.profile != profileClassic {
		return usage("--profile %q: standard or classic", f.profile)
	}
	var known pflag.FlagSet
	new(indexFlags).add(&known)
	var unasked error
	known.VisitAll(func(flag *pflag.Flag) {
		if name := flag.Name; f.changed(name) && name != "profile" && name != "normalize" && name != "backlog" {
			unasked = usage("--profile classic takes no --%s: it is as the article has it", name)
		}
	})
	return unasked
}

// pictures says how those of articles count; nil: they do not.
func (f *indexFlags) pictures() (*docid.Pictures, error) {
	switch {
	case !f.images && f.changed("common-images"):
		return nil, usage("--common-images is for --images")
	case !f.images:
		return nil, nil
	case f.common <= 0 || f.common > 1:
		return nil, usage("--common-images %g is not a share above 0, up to 1", f.common)
	}
	return &docid.Pictures{Common: f.common}, nil
}

// titled reads what is compared.
func titled(compare string) (bool, error) {
	switch corpus.Compare(compare) {
	case "", corpus.OnlyText:
		return false, nil
	case corpus.TitleAndText:
		return true, nil
	}
	return false, usage("--compare %q is neither %q nor %q", compare, corpus.OnlyText, corpus.TitleAndText)
}

// maker makes a method with the seed of an index.
func maker(cfg methods.Config) docid.Maker {
	return func(seed uint64, _ []byte) (neardup.Method, error) {
		cfg.Seed = seed
		return methods.New(cfg)
	}
}
