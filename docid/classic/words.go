package classic

import (
	"context"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/simhash"
)

// Words are weighted in a number of levels. Two contents match within most differing bits.
const (
	levels = 5
	most   = simhash.DefaultDistance
)

// signature is the SimHash of a text. A text without words has none.
type signature struct {
	fp     uint64
	enough bool
}

// signer makes signatures.
type signer struct {
	seed     uint64
	splitter keyword.Splitter
	stop     *keyword.StopWords
	spec     string // describes the cascade, as docid.Settings does
	basis    string // basis of a similarity
}

func newSigner(clean neardup.Cleaner, seed uint64) (*signer, error) {
	words, err := methods.Parse(fmt.Sprintf("simhash features=levels:%d seed=%d", levels, seed))
	if err != nil {
		return nil, err
	}
	features, err := words.Features()
	if err != nil {
		return nil, err
	}
	of := &signer{seed: seed, basis: "1 - distance/64 of " + features.String(), spec: "cascade/1 clean=none url=exact"}
	if clean != nil {
		of.spec = "cascade/1 clean=" + clean.String() + " url=exact"
	}
	for stage, distance := range []int{0, most} {
		m, err := simhash.New(simhash.Config{
			Features: features, Distance: &distance, Unverified: true, MinFeatures: 1, Blocks: true, Seed: seed,
		})
		if err != nil {
			return nil, err
		}
		of.spec += fmt.Sprintf(" %s=near(%s)", []docid.Stage{docid.StageTitle, docid.StageContent}[stage], m.Spec())
	}
	of.splitter, err = methods.Splitter(nil)
	if err != nil {
		return nil, err
	}
	of.stop, err = keyword.BuiltInStopWords()
	return of, err
}

// of returns the signature of words, which it sorts.
func (g *signer) of(words []string) signature {
	var features []simhash.Weighted
	for _, k := range keyword.Levels(nil, words, g.stop, levels) {
		features = append(features, simhash.Weighted{Hash: simhash.HashWord(k.Word, g.seed), Weight: k.Weight})
	}
	return signature{simhash.OfWeighted(features), len(features) > 0}
}

// signatures returns the signatures of texts. It takes words from the cache in Redis if they are there.
func (x *Index) signatures(ctx context.Context, texts ...string) ([]signature, error) {
	out := make([]signature, len(texts))
	if x.s.o.Words <= 0 {
		for i, t := range texts {
			out[i] = x.of(x.splitter.Append(nil, t))
		}
		return out, nil
	}
	keys := make([]string, len(texts))
	for i, t := range texts {
		keys[i] = x.key("WORDS", neardup.DigestOf(t).String())
	}
	there, err := redis.Values(x.s.c.Do(ctx, "MGET", redis.Args{}.AddFlat(keys)...))
	if err != nil {
		return nil, failed(err)
	}
	var puts []redis.Args
	for i, t := range texts {
		words := x.splitter.Append
		if cached, err := redis.String(there[i], nil); err == nil {
			out[i] = x.of(strings.Fields(cached))
			continue
		}
		cut := words(nil, t)
		puts = append(puts, redis.Args{"SET", keys[i], strings.Join(cut, " "), "PX", x.s.o.Words.Milliseconds()})
		out[i] = x.of(cut)
	}
	return out, x.all(ctx, puts)
}
