package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server/api"
)

func (s *Server) routesForRead() {
	get := func(path, id, summary string) huma.Operation {
		return operation(Read, http.MethodGet, path, id, summary)
	}
	register(s, operation(Read, http.MethodPost, "/v1/check", "check", "Decide on one article without storing it"), s.check)
	look(s, operation(Read, http.MethodPost, "/v1/near", "near", "Find the docIds most like an article"), s.near)
	look(s, get("/v1/near", "nearText", "Find the docIds most like a text"), s.nearText)
	look(s, operation(Read, http.MethodPost, "/v1/compare", "compare", "Compare two articles, stage by stage"), s.compare)
	look(s, with(get("/v1/articles/{id}", "article", "Find an article and its docId"), http.StatusNotFound), s.article)
	look(s, get("/v1/docids", "docids", "List docIds by size, the largest first"), s.groups)
	look(s, with(get("/v1/docids/{docId}", "docid", "Get a docId: leader, kept copy, members, evidence"), http.StatusNotFound, http.StatusGone), s.group)
	look(s, get("/v1/find", "find", "Find the docIds of a url or a title"), s.find)
	register(s, with(get("/v1/changes/{seq}", "evidence", "Get the answer that a change gave"), http.StatusNotFound), s.evidence)
	register(s, get("/v1/stats", "stats", "Counts"), s.stats)
}

func (s *Server) check(ctx context.Context, in *bodyOf[api.Submission]) (api.Answer, error) {
	sub, err := toCore(&in.Body.is, "body")
	if err != nil {
		return api.Answer{}, err
	}
	return detector(ctx).Check(ctx, sub)
}

func (s *Server) near(ctx context.Context, in *bodyOf[api.Near], seq uint64) (api.Neighbors, error) {
	sub, err := toCore(&in.Body.is.Submission, "body")
	if err != nil {
		return api.Neighbors{}, err
	}
	return neighbors(ctx, sub, cmp.Or(in.Body.is.Top, 10), seq)
}

type nearTextInput struct {
	Text  string `query:"text" required:"true" example:"The quick brown fox jumps over the lazy dog."`
	Title string `query:"title" example:"A fox"`
	Top   int    `query:"top" minimum:"1" maximum:"100" default:"10"`
}

func (s *Server) nearText(ctx context.Context, in *nearTextInput, seq uint64) (api.Neighbors, error) {
	sub, err := toCore(&api.Submission{Article: api.Article{Content: in.Text, Title: in.Title}}, "query")
	if err != nil {
		return api.Neighbors{}, err
	}
	return neighbors(ctx, sub, in.Top, seq)
}

func neighbors(ctx context.Context, sub docid.Submission, top int, seq uint64) (api.Neighbors, error) {
	if top < 1 || top > maxPage {
		return api.Neighbors{}, at("body.top", fmt.Sprintf("is not 1 to %d", maxPage))
	}
	found, err := detector(ctx).Near(ctx, sub, top)
	return api.Neighbors{Seq: seq, Neighbors: found}, err
}

func (s *Server) compare(ctx context.Context, in *bodyOf[api.Pair], seq uint64) (api.Comparison, error) {
	a, err := toArticle(&in.Body.is.A, "body.a")
	if err != nil {
		return api.Comparison{}, err
	}
	b, err := toArticle(&in.Body.is.B, "body.b")
	if err != nil {
		return api.Comparison{}, err
	}
	c, err := detector(ctx).Compare(ctx, a.Submission(), b.Submission())
	return api.Comparison{Seq: seq, Comparison: c}, err
}

type nidInput struct {
	NID string `path:"id" example:"17"`
}

func (s *Server) article(ctx context.Context, in *nidInput, seq uint64) (api.MemberAnswer, error) {
	if err := validPath(in.NID); err != nil {
		return api.MemberAnswer{}, err
	}
	m, docID, err := detector(ctx).Member(ctx, in.NID)
	if err != nil {
		return api.MemberAnswer{}, err
	}
	member, err := fromMember(ctx, &m)
	if c := member.Corrected; c != nil {
		seq = max(seq, c.Seq)
	}
	return api.MemberAnswer{Seq: max(seq, m.Seq), DocID: docID, Member: member}, err
}

// fromMember converts a member and adds the answer that the article got.
func fromMember(ctx context.Context, m *docid.Member) (api.Member, error) {
	member := api.Member{Article: fromArticle(&m.Article), Seq: m.Seq, Disagrees: m.Disagrees, Corrected: detector(ctx).Corrected(m)}
	switch a, err := detector(ctx).Evidence(ctx, m.Seq); {
	case err == nil:
		member.Evidence = &a
	case !errors.Is(err, docid.ErrNotFound):
		return member, err
	}
	return member, nil
}

func fromArticle(a *docid.Article) api.Article {
	out := api.Article{
		NID: a.ID, URL: a.URL, Title: a.Title, Content: a.Text,
		Category: a.Category, Media: a.Media, ImageCount: a.ImageCount, Heat: a.Heat, Extras: fromExtras(a.Extras),
	}
	if a.Time != 0 {
		out.PublishTime = instant(a.Time).Format(time.RFC3339Nano)
	}
	return out
}

func instant(unixNano int64) time.Time { return time.Unix(0, unixNano).UTC() }

type groupInput struct {
	DocID string `path:"docId" example:"1bfe3d897e414e0e-970db008a65fe511"`
	After uint64 `query:"after" doc:"Return members added after this change."`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

func (s *Server) group(ctx context.Context, in *groupInput, seq uint64) (api.Group, error) {
	g, err := detector(ctx).Group(ctx, in.DocID, in.After, in.Limit)
	if err != nil {
		return api.Group{}, err
	}
	out := api.Group{
		Seq: seq, DocID: in.DocID, Size: g.Size, Members: make([]api.Member, len(g.Members)),
		Leader: api.Leader{ID: g.NID, Seq: g.Leader, Time: instant(g.Time)},
	}
	if g.Expires != 0 {
		t := instant(g.Expires)
		out.Expires = &t
	}
	out.KeptGone = g.Kept == nil
	if g.Kept != nil {
		kept := fromArticle(g.Kept)
		out.Kept = &kept
	}
	out.HotterUnknown = g.HotterUnknown
	if g.Hotter != nil {
		out.Hotter = &api.Hotter{NID: g.Hotter.ID, Heat: g.Hotter.Heat}
	}
	for i := range g.Members {
		out.Members[i], err = fromMember(ctx, &g.Members[i])
		if err != nil {
			return out, err
		}
		out.Seq = max(out.Seq, g.Members[i].Seq)
	}
	s.addTexts(ctx, out.Members)
	if g.More {
		out.Next = g.Members[len(g.Members)-1].Seq
	}
	return out, nil
}

type groupsInput struct {
	MinSize int    `query:"minSize" minimum:"1" default:"2" doc:"Return docIds of at least this many articles."`
	After   string `query:"after" doc:"The value of next of the previous page."`
	Limit   int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

func (s *Server) groups(ctx context.Context, in *groupsInput, seq uint64) (api.Groups, error) {
	d := detector(ctx)
	page := docid.GroupPage{MinSize: in.MinSize, Limit: in.Limit + 1}
	if in.After != "" {
		size, docID, _ := strings.Cut(in.After, ".")
		n, err := strconv.Atoi(size)
		leader, ok := d.DocIDs().Leader(docID)
		if err != nil || !ok {
			return api.Groups{}, at("query.after", "is not a value of next")
		}
		page.After = docid.GroupSize{Leader: leader, Size: n}
	}
	found, err := d.Index().Catalog().Groups(ctx, page)
	out := api.Groups{Seq: seq, Groups: []api.GroupSize{}}
	for i, g := range found {
		if i == in.Limit {
			last := out.Groups[i-1]
			out.Next = fmt.Sprintf("%d.%s", last.Size, last.DocID)
			break
		}
		out.Groups = append(out.Groups, api.GroupSize{DocID: d.DocIDs().DocID(g.Leader), Size: g.Size})
	}
	return out, err
}

type findInput struct {
	URL   string `query:"url" example:"http://a.example/fox"`
	Title string `query:"title" example:"A fox"`
}

func (s *Server) find(ctx context.Context, in *findInput, seq uint64) (api.Found, error) {
	if (in.URL == "") == (in.Title == "") {
		return api.Found{}, at("query", "give either url or title")
	}
	d := detector(ctx)
	find, what := d.FindURL, in.URL
	if in.URL == "" {
		find, what = d.FindTitle, in.Title
	}
	ids, err := find(ctx, what)
	return api.Found{Seq: seq, DocIDs: append([]string{}, ids...)}, err
}

type seqInput struct {
	Seq uint64 `path:"seq" example:"1"`
}

func (s *Server) evidence(ctx context.Context, in *seqInput) (api.Answer, error) {
	return detector(ctx).Evidence(ctx, in.Seq)
}

func (s *Server) stats(ctx context.Context, _ *struct{}) (api.Stats, error) {
	catalog := detector(ctx).Index().Catalog()
	st, err := catalog.Stats(ctx)
	if err != nil {
		return api.Stats{}, err
	}
	engine, err := catalog.Engine(ctx)
	if err != nil {
		return api.Stats{}, err
	}
	es, err := epochs(ctx)
	return api.Stats{
		Seq: st.Seq, DocIDs: st.Leaders, Articles: st.Members, Quota: callerOf(ctx).tenant.quota,
		Keys: int(engine["keys"]), Memory: int(engine["memory"]), Epochs: es,
	}, err
}
