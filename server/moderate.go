package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/override"
	"github.com/neardup/neardup/server/api"
)

// maxWhy bounds the reason of a ruling, in bytes.
const maxWhy = 1 << 10

// routesForModerators registers the routes for corrections and rulings.
func (s *Server) routesForModerators() {
	register(s, with(operation(Moderate, http.MethodPost, "/v1/articles/{id}/correct", "correct", "Move an article to another docId; only this changes an earlier answer"),
		http.StatusNotFound, http.StatusConflict, http.StatusGone), s.correct)
	register(s, operation(Moderate, http.MethodPost, "/v1/rulings", "rule", "Rule that two articles are, or are not, duplicates, for all later decisions"), s.rule)
	look(s, operation(Read, http.MethodGet, "/v1/unsure", "unsure", "List articles whose relation to a docId is unsure, the newest first"), s.unsure)
	look(s, operation(Read, http.MethodGet, "/v1/rulings", "rulings", "List the rulings of people on pairs, in order"), s.rulings)
}

type correction struct {
	NID  string `path:"id" example:"17"`
	Body input[api.Correction]
}

func (s *Server) correct(ctx context.Context, in *correction) (api.CorrectionAnswer, error) {
	if err := validPath(in.NID); err != nil {
		return api.CorrectionAnswer{}, err
	}
	b := &in.Body.is
	err := cmp.Or(within(b.With, maxID, "body.with"), within(b.Why, maxWhy, "body.why"))
	if err == nil && b.Content != nil {
		err = within(*b.Content, maxText, "body.text")
	}
	if err != nil {
		return api.CorrectionAnswer{}, err
	}
	asked := docid.Correcting{
		NID: in.NID, With: b.With, DocID: b.DocID, Text: b.Content, Who: callerOf(ctx).grant.Name, Why: b.Why,
	}
	m, err := detector(ctx).Correct(ctx, asked)
	if errors.Is(err, docid.ErrTextUnknown) {
		asked.Text = s.keptText(ctx, in.NID)
		if asked.Text != nil {
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
		st, err := detector(ctx).Stats(ctx)
		out.Seq = st.Seq
		return out, err
	}
	return out, nil
}

// noLink marks a ruling without a link. An empty link has another meaning.
const noLink = "\x00"

func (s *Server) rule(ctx context.Context, in *bodyOf[api.Ruling]) (out api.Ruled, err error) {
	b := &in.Body.is
	if err := cmp.Or(within(b.A, maxID, "body.a"), within(b.B, maxID, "body.b"), within(b.Why, maxWhy, "body.why")); err != nil {
		return out, err
	}
	if b.Link == noLink {
		return out, at("body.link", "is missing (an empty link withdraws the ruling)")
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
	After uint64 `query:"after" doc:"Return rulings after this change."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (s *Server) rulings(ctx context.Context, in *rulingsInput, seq uint64) (api.Rulings, error) {
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

type unsureInput struct {
	Before uint64 `query:"before" doc:"Return articles before this change; 0: the newest."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

// A request for unsure articles reads at most mostScanned log entries, scanned at a time.
const mostScanned, scanned = 20_000, 1000

// unsure finds living articles that a person should compare with the one they name.
func (s *Server) unsure(ctx context.Context, in *unsureInput, seq uint64) (api.UnsureArticles, error) {
	d, page := detector(ctx), api.UnsureArticles{Seq: seq, Articles: []api.Answer{}}
	before := cmp.Or(in.Before, seq+1)
	for end := before - min(before, mostScanned); before > max(end, 1) && len(page.Articles) < in.Limit; {
		from := before - min(before, scanned+1)
		entries, err := d.Index().Catalog().Log(ctx, from, int(before-from-1))
		if err != nil {
			return page, err
		}
		for before = from + 1; len(entries) > 0; entries = entries[:len(entries)-1] {
			e := &entries[len(entries)-1]
			if e.Kind != docid.KindNew || e.Evidence.Relation != neardup.Unsure {
				continue
			}
			if len(page.Articles) == in.Limit {
				before = page.Articles[in.Limit-1].Seq
				break
			}
			switch m, _, err := d.Member(ctx, e.NID); {
			case err == nil && m.Seq == e.Seq:
				page.Articles = append(page.Articles, d.FromEntry(*e))
			case err != nil && !errors.Is(err, docid.ErrNotFound):
				return page, err
			}
		}
	}
	if before > 1 {
		page.Next = before
	}
	return page, nil
}
