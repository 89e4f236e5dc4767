package main

import (
	"cmp"
	"fmt"
	"slices"

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
	profile                                string
	fs                                     *pflag.FlagSet // flags of the command
	method                                 methodFlags    // flags of some of the settings
	compare, normalize, overrides          string
	titleThreshold, titleAgrees, urlAgrees float64
	images                                 bool
	ofImages                               *pflag.FlagSet // flags for pictures
	bytes                                  size           // size limit of a picture in POST /v1/images
	pixels                                 int64
	of                                     docid.Settings // the stages, and the limits of age and number
}

const profileClassic = "classic"

func (f *indexFlags) add(fs *pflag.FlagSet) {
	f.fs = fs
	s := &f.of
	bindSpec(fs, "serve", "url", "mode", flags{"mode": (*string)(&s.URL), "agrees": &f.urlAgrees})
	bindSpec(fs, "serve", "title", "mode", flags{"mode": (*string)(&s.Title), "threshold": &f.titleThreshold, "agrees": &f.titleAgrees})
	f.bytes = image.DefaultBytes
	f.ofImages = bindSpec(fs, "serve", "images", "on", flags{"on": &f.images, "common": &s.CommonPictures, "bytes": &f.bytes, "pixels": &f.pixels})
	fs.Lookup("images").NoOptDefVal = "true"
	f.method.only = []string{"containment", "distance", "recall", "shingle", "threshold"}
	f.method.addTo(fs, "Decisions", "method", "threshold")
	bind(fs, "serve", flags{
		"profile": &f.profile, "content": (*string)(&s.Content), "compare": &f.compare, "normalize": &f.normalize, "overrides": &f.overrides,
		"window": &s.Window, "ttl": &s.TTL, "backlog": &s.Backlog, "max-articles": &s.MaxMembers, "max-candidates": &s.MaxCandidates,
	})
}

// settings makes the settings of an index. It builds the methods once to report a wrong flag as a usage
// error.
func (f *indexFlags) settings() (docid.Settings, error) {
	s := f.of
	n, err := text.ParseNormalizer(f.normalize)
	if err != nil {
		return s, usage("--normalize: %w", err)
	}
	s.Clean = n
	s.CommonPictures, err = f.pictures()
	if err := cmp.Or(err, pictured(f.fs)); err != nil {
		return s, err
	}
	s.Overrides, err = readOverrides(f.overrides)
	if err != nil {
		return s, err
	}
	if f.profile == profileClassic {
		return s, f.classic()
	}
	s.Titled = corpus.Compare(f.compare) == corpus.TitleAndText
	content, err := f.method.choice()
	if err != nil {
		return s, err
	}
	s.ContentMethod = standard.Method(content.String())
	s.TitleMethod = standard.Method(fmt.Sprint("ngram threshold=", f.titleThreshold))
	s.TitleAgrees, s.URLAgrees = agreeing(f.titleAgrees), agreeing(f.urlAgrees)
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

func agreeing(least float64) docid.Maker {
	if least == 0 {
		return nil
	}
	return standard.Method(fmt.Sprint("jaccard threshold=", least))
}

// classic rejects flags that the profile classic fixes or does not have.
func (f *indexFlags) classic() error {
	var unasked error
	f.fs.Visit(func(flag *pflag.Flag) {
		if decides(flag.Name) && !slices.Contains([]string{"profile", "normalize", "backlog"}, flag.Name) {
			unasked = usage("--profile classic cannot be combined with --%s", flag.Name)
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
	case f.of.CommonPictures <= 0 || f.of.CommonPictures > 1:
		return 0, usage("--images: common=%g: out of range (want above 0, at most 1)", f.of.CommonPictures)
	case f.bytes < 1 || f.pixels < 1:
		return 0, usage("--images: bytes=%s, pixels=%d: too small (want at least 1 each)", &f.bytes, f.pixels)
	}
	return f.of.CommonPictures, nil
}

// pictureLimits returns the limits for pictures that the service hashes, or nil if it takes none.
func (f *indexFlags) pictureLimits() *image.Limits {
	if !f.images {
		return nil
	}
	return &image.Limits{Bytes: int64(f.bytes), Pixels: f.pixels}
}

// asked returns the flags of rebuild for an index of these settings.
func (f *indexFlags) asked() string {
	method := f.method
	method.normalize = "default" // the index has its own normalization
	asked := "--method '" + method.asked() + "'"
	if f.images {
		asked += " --images"
	}
	return asked
}

// decides reports whether a flag is among those that an index stores.
func decides(flag string) bool {
	var known pflag.FlagSet
	new(indexFlags).add(&known)
	return known.Lookup(flag) != nil
}
