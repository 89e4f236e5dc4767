package server

import (
	"context"
	"fmt"
	"net/http"
	"regexp"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server/api"
)

func (s *Server) routesForAdmin() {
	register(s, with(operation(Admin, http.MethodDelete, "/v1/articles/{id}", "deleteArticle", "Delete an article and its texts, but not its docId"), http.StatusNotFound), s.deleteArticle)
	register(s, with(operation(Admin, http.MethodDelete, "/v1/docids/{docId}", "endDocid", "End a docId, which is never used again"), http.StatusNotFound, http.StatusGone), s.endDocID)
	look(s, operation(Admin, http.MethodGet, "/v1/log", "log", "Read the log of changes: complete, in order, without texts"), s.logPage)
	look(s, with(operation(Operator, http.MethodPost, "/v1/backup", "backup", "Write a snapshot of all tenants into the server's folder of backups"), http.StatusNotFound, http.StatusConflict), s.backup)
}

func (s *Server) deleteArticle(ctx context.Context, in *nidInput) (api.Change, error) {
	if err := validPath(in.NID); err != nil {
		return api.Change{}, err
	}
	if err := s.dropText(ctx, in.NID); err != nil {
		return api.Change{}, err
	}
	e, err := detector(ctx).Delete(ctx, in.NID)
	return changed(ctx, e), err
}

type docIDInput struct {
	DocID string `path:"docId" example:"1bfe3d897e414e0e-970db008a65fe511"`
}

func (s *Server) endDocID(ctx context.Context, in *docIDInput) (api.Change, error) {
	if err := s.dropTexts(ctx, in.DocID); err != nil {
		return api.Change{}, err
	}
	e, err := detector(ctx).End(ctx, in.DocID)
	return changed(ctx, e), err
}

type logInput struct {
	After uint64 `query:"after" doc:"Return entries after this change."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (s *Server) logPage(ctx context.Context, in *logInput, seq uint64) (api.Log, error) {
	es, err := epochs(ctx)
	if err != nil {
		return api.Log{}, err
	}
	entries, err := detector(ctx).Index().Catalog().Log(ctx, in.After, in.Limit)
	page := api.Log{Seq: seq, Epochs: es, Entries: make([]api.Entry, len(entries))}
	for i, e := range entries {
		page.Entries[i] = fromEntry(ctx, &e)
		page.Seq = max(page.Seq, e.Seq)
	}
	return page, err
}

func fromEntry(ctx context.Context, e *docid.Entry) api.Entry {
	d := detector(ctx)
	out := api.Entry{Seq: e.Seq, Kind: string(e.Kind), NID: e.NID, Time: instant(e.Time), Heat: e.Heat}
	switch e.Kind {
	case docid.KindForget, docid.KindRule:
	case docid.KindEpoch:
		out.Epoch = epoch(e.Leader)
	default:
		out.DocID = d.DocIDs().DocID(e.Leader)
	}
	if r := e.Ruling; r != nil {
		out.Ruling = &api.Said{Who: r.Who, Why: r.Why, Other: r.Other, Link: string(r.Link), Was: string(r.Was)}
		if e.Kind == docid.KindCorrect {
			out.Ruling.Before = d.DocIDs().DocID(r.Before)
		}
	}
	if e.Kind == docid.KindNew || e.Kind == docid.KindDuplicate {
		a := d.FromEntry(*e)
		out.Evidence = &a
	}
	return out
}

// epochs returns the epochs of the caller's tenant.
func epochs(ctx context.Context) ([]api.Epoch, error) {
	es, err := detector(ctx).Index().Catalog().Epochs(ctx)
	out := []api.Epoch{}
	for _, e := range es {
		out = append(out, api.Epoch{First: e.First, Epoch: epoch(e.Number)})
	}
	return out, err
}

func epoch(number uint64) string { return fmt.Sprintf("%016x", number) }

// backupName matches the name of a folder. The pattern of api.Backup is the same.
var backupName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// backup copies the whole store with all tenants, so it requires a role that belongs to no tenant.
func (s *Server) backup(ctx context.Context, in *bodyOf[api.Backup], seq uint64) (api.BackupAnswer, error) {
	if s.cfg.Snapshot == nil {
		return api.BackupAnswer{}, problem(http.StatusNotFound, api.CodeNotFound, "this server has no folder of backups")
	}
	if name := in.Body.is.Name; len(name) > 64 || !backupName.MatchString(name) {
		return api.BackupAnswer{}, at("body.name", "is not 1 to 64 letters, digits, dots, dashes and underscores, or begins with a dot")
	}
	if err := s.cfg.Snapshot(ctx, in.Body.is.Name); err != nil {
		return api.BackupAnswer{}, err
	}
	return api.BackupAnswer{Seq: seq, Name: in.Body.is.Name}, nil
}
