package server

import (
	"context"
	"errors"
	"log/slog"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/span"
	"github.com/neardup/neardup/server/api"
)

// Texts stores texts of articles for a limited time, by tenant and change. No answer depends on them. It must
// be safe for concurrent use.
type Texts interface {
	Put(tenant string, seq uint64, text string) error
	Get(tenant string, seq uint64) (text string, ok bool, err error)
	Drop(tenant string, seq uint64) error
	// Forget drops expired texts.
	Forget(tenant string) error
}

// keepText stores the text of a decided article. It only logs a failure, because the answer is already valid.
func (s *Server) keepText(ctx context.Context, seq uint64, text string) {
	if s.cfg.Texts == nil || text == "" {
		return
	}
	if err := s.cfg.Texts.Put(callerOf(ctx).tenant.name, seq, text); err != nil {
		s.logLimiter.log(ctx, slog.LevelWarn, "cannot store a text for the moderators", "", "cause", span.Cause(err))
	}
}

// keepRevised replaces the stored text of an article with its new text.
func (s *Server) keepRevised(ctx context.Context, nid, text string) {
	if s.cfg.Texts == nil {
		return
	}
	if m, _, err := detector(ctx).Member(ctx, nid); err == nil {
		s.keepText(ctx, m.Seq, text)
	}
}

// addTexts adds the stored texts to members if the caller is a moderator.
func (s *Server) addTexts(ctx context.Context, members []api.Member) {
	who := callerOf(ctx)
	if s.cfg.Texts == nil || who.grant == nil || !who.grant.Has(Moderate) {
		return
	}
	for i := range members {
		text, ok, err := s.cfg.Texts.Get(who.tenant.name, members[i].Seq)
		if err != nil {
			s.logLimiter.log(ctx, slog.LevelWarn, "cannot read a stored text", "", "cause", span.Cause(err))
			return
		}
		if ok && members[i].Content == "" {
			members[i].Content = text
		}
	}
}

// keptText returns the stored text of an article, or nil if there is none.
func (s *Server) keptText(ctx context.Context, nid string) *string {
	m, _, err := detector(ctx).Member(ctx, nid)
	if err != nil {
		return nil
	}
	is := []api.Member{{Seq: m.Seq}}
	s.addTexts(ctx, is)
	if is[0].Content == "" {
		return nil
	}
	return &is[0].Content
}

// dropText removes the text of an article before the article is deleted, so that a failed deletion can be
// repeated.
func (s *Server) dropText(ctx context.Context, nid string) error {
	if s.cfg.Texts == nil {
		return nil
	}
	m, _, err := detector(ctx).Member(ctx, nid)
	if errors.Is(err, docid.ErrNotFound) {
		return nil // the deletion will report it
	}
	if err != nil {
		return err
	}
	return s.cfg.Texts.Drop(callerOf(ctx).tenant.name, m.Seq)
}

// dropTexts removes the texts of all articles of a docId.
func (s *Server) dropTexts(ctx context.Context, docID string) error {
	if s.cfg.Texts == nil {
		return nil
	}
	for after, more := uint64(0), true; more; {
		g, err := detector(ctx).Group(ctx, docID, after, 100)
		if err != nil {
			return nil // ending the docId will report the cause
		}
		for _, m := range g.Members {
			if err := s.cfg.Texts.Drop(callerOf(ctx).tenant.name, m.Seq); err != nil {
				return err
			}
			after = m.Seq
		}
		more = g.More
	}
	return nil
}
