package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/text"
)

// listedPair is a line of --pairs: two texts, or two ids of documents in
// --from, or of each one.
type listedPair struct {
	A      string  `json:"id_a"`
	B      string  `json:"id_b"`
	TextA  *string `json:"text_a"`
	TextB  *string `json:"text_b"`
	ShortA string  `json:"a"` // as overrides name them
	ShortB string  `json:"b"`
}

// comparedPair is what is said of one.
type comparedPair struct {
	A     string `json:"id_a,omitempty"`
	B     string `json:"id_b,omitempty"`
	Equal bool   `json:"equal"`
	// Relation of the first text to the second.
	Relation neardup.Relation `json:"relation"`
	neardup.Match
	// Found is false of a near pair that no key would have found.
	Found     bool               `json:"found"`
	Conflicts []neardup.Conflict `json:"conflicts,omitempty"`
}

var (
	errPair = errors.New("a pair needs text_a and text_b, or id_a and id_b")
	errFrom = errors.New("pairs of ids need --from: the file of the documents")
)

// list compares the pairs of a file and prints a line for each, in their order.
func (c *compare) list(ctx context.Context) error {
	m, n, err := c.method.method()
	if err != nil {
		return err
	}
	texts, err := c.texts(ctx)
	if err != nil {
		return err
	}
	out := corpus.NewStream(c.stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err = c.eachPair(func(p listedPair) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, side := range []struct {
			id   string
			text **string
		}{{p.A, &p.TextA}, {p.B, &p.TextB}} {
			if *side.text != nil {
				continue
			}
			if *side.text = texts[side.id]; *side.text == nil {
				return fmt.Errorf("%s has no document with the id %q", c.from, side.id)
			}
		}
		return enc.Encode(compared(m, n, p))
	})
	if err != nil {
		return err
	}
	return out.Commit()
}

// eachPair reads the list.
func (c *compare) eachPair(do func(listedPair) error) error {
	return textlines.Each(c.pairs, func(_ int, line []byte) error {
		var p listedPair
		if err := textlines.Object(line, &p, "pair"); err != nil {
			return err
		}
		if p.A == "" && p.B == "" {
			p.A, p.B = p.ShortA, p.ShortB
		}
		byID := p.TextA == nil || p.TextB == nil
		switch {
		case p.TextA == nil && p.A == "" || p.TextB == nil && p.B == "":
			return errPair
		case byID && c.from == "":
			return errFrom
		}
		return do(p)
	})
}

// texts reads the documents that the list names by their ids; the first of an
// id counts.
func (c *compare) texts(ctx context.Context) (map[string]*string, error) {
	if c.from == "" {
		return nil, nil
	}
	texts := map[string]*string{}
	err := c.eachPair(func(p listedPair) error {
		if p.TextA == nil {
			texts[p.A] = nil
		}
		if p.TextB == nil {
			texts[p.B] = nil
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return texts, c.input.each(ctx, c.app, []string{c.from}, func(doc *neardup.Document) {
		if known, wanted := texts[doc.ID]; wanted && known == nil {
			text := doc.Text
			texts[doc.ID] = &text
		}
	})
}

// compared decides a pair as a batch of the two would.
func compared(m neardup.Method, n text.Normalizer, p listedPair) comparedPair {
	x, y := n.Clean(*p.TextA), n.Clean(*p.TextB)
	out := comparedPair{A: p.A, B: p.B, Equal: x == y, Match: verdict(m, x, y)}
	if out.Equal {
		out.Match = batch.EqualMatch(m, x)
	}
	out.Relation = out.Match.Relation()
	out.Found = out.Near && (out.Equal || meet(m, x, y))
	out.Conflicts = conflicts(m, x, y, out.Match)
	return out
}
