package standard

import (
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// Classic is the cascade of the classic docId system to the letter: the url, then
// the signature of the title, then that of the content within 3 bits, found by four
// blocks. A signature is the SimHash of the words of a text, weighted 1 to 5 by how
// often they occur. Nothing is verified, so two texts that have little in common
// but their signatures get one docId: see docs/simhash-k.md before it is used.
func Classic() docid.Settings {
	return docid.Settings{
		Clean: text.Default(), URL: docid.Exact, Title: docid.Near, Content: docid.Near,
		TitleMethod: signature(0), ContentMethod: signature(3),
	}
}

// signature compares texts by SimHash alone, within a distance.
func signature(distance int) docid.Maker {
	return func(seed uint64, _ []byte) (neardup.Method, error) {
		words, err := methods.FeatureConfig{Kind: "levels:5", Seed: seed}.Features()
		if err != nil {
			return nil, err
		}
		return methods.New(methods.Config{
			Name: "simhash", Distance: &distance, Verify: methods.Off, Features: words, MinFeatures: 1,
			Layout: [...]string{"probe:1", "probe:2", "probe:3", "probe:4"}[distance], Seed: seed,
		})
	}
}
