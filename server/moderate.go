package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/override"
	"github.com/neardup/neardup/server/api"
)

// maxWhy bounds the reason of a ruling, in bytes.
const maxWhy = 1 << 10

// routesForModerators registers the routes for corrections and rulings.
func (s *Server) routesForModerators() {
	register(s, with(operation(Moderate, http.MethodPost, "/v1/articles/{nid}/correct", "correct", "Move an article to another docId: the one change of an answer that was given"),
		http.StatusNotFound, http.StatusConflict, http.StatusGone), s.correct)
	register(s, operation(Moderate, http.MethodPost, "/v1/rulings", "rule", "Say that two articles are, or are not, duplicates; obeyed from then on"), s.rule)
	register(s, operation(Read, http.MethodGet, "/v1/rulings", "rulings", "What people have said of pairs, in order"), s.rulings)
}

type correction struct {
	NID  string `path:"nid"`
	Body input[api.Correction]
}

func (s *Server) correct(ctx context.Context, in *correction) (api.CorrectionAnswer, error) {
	if err := validPath(in.NID); err != nil {
		return api.CorrectionAnswer{}, err
	}
	b := &in.Body.is
	err := cmp.Or(within(b.With, maxID, "body.with"), within(b.Why, maxWhy, "body.why"))
	if err == nil && b.Content != nil {
		err = within(*b.Content, maxText, "body.content")
	}
	if err != nil {
		return api.CorrectionAnswer{}, err
	}
	asked := docid.Correcting{
		NID: in.NID, With: b.With, DocID: b.DocID, Text: b.Content, Who: callerOf(ctx).grant.Name, Why: b.Why,
	}
	m, err := detector(ctx).Correct(ctx, asked)
	if errors.Is(err, docid.ErrTextUnknown) {
		if asked.Text = s.keptText(ctx, in.NID); asked.Text != nil {
			m, err = detector(ctx).Correct(ctx, asked)
		}
	}
	if err != nil {
		return api.CorrectionAnswer{}, err
	}
	out := api.CorrectionAnswer{Seq: m.Seq, NID: m.NID, DocID: m.DocID, Unchanged: m.Unchanged}
	if m.Corrected.Seq != 0 {
		out.Corrected = &m.Corrected
	}
	if m.Unchanged {
		out.Seq, err = seen(ctx)
	}
	return out, err
}

// unsaid marks a ruling without a link. An empty link has another meaning.
const unsaid = "\x00"

type rulingInput struct{ Body input[api.Ruling] }

func (s *Server) rule(ctx context.Context, in *rulingInput) (out api.Ruled, err error) {
	b := &in.Body.is
	if err := cmp.Or(within(b.A, maxID, "body.a"), within(b.B, maxID, "body.b"), within(b.Why, maxWhy, "body.why")); err != nil {
		return out, err
	}
	if b.Link == unsaid {
		return out, at("body.link", "is missing; empty takes back what was said")
	}
	for _, nid := range []string{b.A, b.B} {
		switch _, _, err := detector(ctx).Member(ctx, nid); {
		case errors.Is(err, docid.ErrNotFound):
			out.Unknown = append(out.Unknown, nid)
		case err != nil:
			return out, err
		}
	}
	e, err := detector(ctx).Rule(ctx, b.A, b.B, docid.Ruling{Who: callerOf(ctx).grant.Name, Why: b.Why, Link: override.Link(b.Link)})
	if err != nil {
		return out, err
	}
	out.RulingEntry = fromRuling(&e)
	return out, nil
}

func fromRuling(e *docid.Entry) api.RulingEntry {
	r := e.Ruling
	return api.RulingEntry{
		Ruling: api.Ruling{A: e.NID, B: r.Other, Link: string(r.Link), Why: r.Why},
		Seq:    e.Seq, Was: string(r.Was), Who: r.Who, Time: instant(e.Time),
	}
}

type rulingsInput struct {
	After uint64 `query:"after" doc:"Rulings that were made after this change."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (s *Server) rulings(ctx context.Context, in *rulingsInput) (api.Rulings, error) {
	seq, err := seen(ctx)
	if err != nil {
		return api.Rulings{}, err
	}
	es, err := detector(ctx).Index().Catalog().Rulings(ctx, in.After, in.Limit+1)
	page := api.Rulings{Seq: seq, Rulings: []api.RulingEntry{}}
	for i := range es {
		if i == in.Limit {
			page.Next = es[i-1].Seq
			break
		}
		page.Rulings = append(page.Rulings, fromRuling(&es[i]))
		page.Seq = max(page.Seq, es[i].Seq)
	}
	return page, err
}
