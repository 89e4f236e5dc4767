package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Submit decides on an article and stores it. If key is empty and the article has no nid, Submit makes a key,
// so that the article is stored once.
func (c *Client) Submit(ctx context.Context, s Submission, key string) (Answer, error) {
	if key == "" && s.NID == "" {
		key = rand.Text()
	}
	return ask[Answer](ctx, c, call{method: http.MethodPost, path: "/v1/articles", key: key, body: s})
}

// SubmitJSON submits an article in JSON unchanged. Because of the key or the nid in it, the article counts once.
func (c *Client) SubmitJSON(ctx context.Context, article []byte, key string) (Answer, error) {
	return ask[Answer](ctx, c, call{method: http.MethodPost, path: "/v1/articles", key: key, raw: article, mime: mimeJSON})
}

// SubmitBatch decides on up to 100 articles in order. It makes a key for entries that have neither key nor
// nid.
func (c *Client) SubmitBatch(ctx context.Context, entries []BatchEntry) (BatchAnswer, error) {
	entries = slices.Clone(entries)
	for i := range entries {
		if e := &entries[i]; e.IdempotencyKey == "" && e.NID == "" {
			e.IdempotencyKey = rand.Text()
		}
	}
	return ask[BatchAnswer](ctx, c, call{method: http.MethodPost, path: "/v1/batch", body: Batch{entries}})
}

// Image hashes a picture, a file such as a JPEG, for the images of an article. Nothing is stored.
func (c *Client) Image(ctx context.Context, file []byte) (Hashed, error) {
	return ask[Hashed](ctx, c, call{method: http.MethodPost, path: "/v1/images", raw: file, mime: "application/octet-stream"})
}

// Check decides on an article without storing it.
func (c *Client) Check(ctx context.Context, s Submission) (Answer, error) {
	return ask[Answer](ctx, c, call{method: http.MethodPost, path: "/v1/check", body: s})
}

// Near returns up to top docIds that are most like an article, 10 if top is 0.
func (c *Client) Near(ctx context.Context, s Submission, top int) (Neighbors, error) {
	return ask[Neighbors](ctx, c, call{method: http.MethodPost, path: "/v1/near", body: Near{s, top}})
}

// Compare compares two articles, stage by stage.
func (c *Client) Compare(ctx context.Context, p Pair) (Comparison, error) {
	return ask[Comparison](ctx, c, call{method: http.MethodPost, path: "/v1/compare", body: p})
}

// Article returns an article and its docId.
func (c *Client) Article(ctx context.Context, nid string) (MemberAnswer, error) {
	return ask[MemberAnswer](ctx, c, call{method: http.MethodGet, path: "/v1/articles/" + segment(nid)})
}

// Revise changes heat or text of an article.
func (c *Client) Revise(ctx context.Context, nid string, r Revision) (Change, error) {
	return ask[Change](ctx, c, call{method: http.MethodPatch, path: "/v1/articles/" + segment(nid), body: r})
}

// Correct moves an article to another docId.
func (c *Client) Correct(ctx context.Context, nid string, to Correction) (CorrectionAnswer, error) {
	return ask[CorrectionAnswer](ctx, c, call{method: http.MethodPost, path: "/v1/articles/" + segment(nid) + "/correct", body: to})
}

// Rule records a ruling on two articles.
func (c *Client) Rule(ctx context.Context, r Ruling) (Ruled, error) {
	return ask[Ruled](ctx, c, call{method: http.MethodPost, path: "/v1/rulings", body: r})
}

// Unsure returns up to limit articles whose relation is unsure and that came before a change, 0 for the newest.
func (c *Client) Unsure(ctx context.Context, before uint64, limit int) (UnsureArticles, error) {
	q := url.Values{"before": {strconv.FormatUint(before, 10)}, "limit": {strconv.Itoa(limit)}}
	return ask[UnsureArticles](ctx, c, call{method: http.MethodGet, path: "/v1/unsure", query: q})
}

// Rulings returns up to limit rulings that were made after a change.
func (c *Client) Rulings(ctx context.Context, after uint64, limit int) (Rulings, error) {
	page, err := ask[Rulings](ctx, c, call{method: http.MethodGet, path: "/v1/rulings", query: paged(after, limit)})
	return page, cmp.Or(err, advances("rulings", after, page.Next))
}

// Delete deletes an article. If a lost first attempt had succeeded, the repeated attempt reports that the
// article does not exist.
func (c *Client) Delete(ctx context.Context, nid string) (Change, error) {
	return ask[Change](ctx, c, call{method: http.MethodDelete, path: "/v1/articles/" + segment(nid)})
}

// DocID returns a docId with up to limit members after the change after.
func (c *Client) DocID(ctx context.Context, docID string, after uint64, limit int) (Group, error) {
	page, err := ask[Group](ctx, c, call{method: http.MethodGet, path: "/v1/docids/" + segment(docID), query: paged(after, limit)})
	return page, cmp.Or(err, advances("members", after, page.Next))
}

// DocIDs lists docIds of at least minSize articles, the largest first. For the next page, pass the Next of
// the previous page as after.
func (c *Client) DocIDs(ctx context.Context, minSize int, after string, limit int) (Groups, error) {
	q := url.Values{"minSize": {strconv.Itoa(minSize)}, "limit": {strconv.Itoa(limit)}}
	if after != "" {
		q.Set("after", after)
	}
	return ask[Groups](ctx, c, call{method: http.MethodGet, path: "/v1/docids", query: q})
}

// End ends a docId.
func (c *Client) End(ctx context.Context, docID string) (Change, error) {
	return ask[Change](ctx, c, call{method: http.MethodDelete, path: "/v1/docids/" + segment(docID)})
}

// FindURL returns the docIds of a URL.
func (c *Client) FindURL(ctx context.Context, address string) (Found, error) {
	return ask[Found](ctx, c, call{method: http.MethodGet, path: "/v1/find", query: url.Values{"url": {address}}})
}

// FindTitle returns the docIds of a title.
func (c *Client) FindTitle(ctx context.Context, title string) (Found, error) {
	return ask[Found](ctx, c, call{method: http.MethodGet, path: "/v1/find", query: url.Values{"title": {title}}})
}

// Evidence returns the answer given with a change.
func (c *Client) Evidence(ctx context.Context, seq uint64) (Answer, error) {
	return ask[Answer](ctx, c, call{method: http.MethodGet, path: "/v1/changes/" + strconv.FormatUint(seq, 10)})
}

// Stats returns the counts of the tenant.
func (c *Client) Stats(ctx context.Context) (Stats, error) {
	return ask[Stats](ctx, c, call{method: http.MethodGet, path: "/v1/stats"})
}

// Log returns up to limit changes after the change after.
func (c *Client) Log(ctx context.Context, after uint64, limit int) (Log, error) {
	page, err := ask[Log](ctx, c, call{method: http.MethodGet, path: "/v1/log", query: paged(after, limit)})
	for _, e := range page.Entries {
		if e.Seq <= after {
			return page, fmt.Errorf("log: the server answered change %d after change %d (want a later one)", e.Seq, after)
		}
		after = e.Seq
	}
	return page, err
}

// advances returns an error if the next page does not begin after this one. Otherwise a caller that follows
// pages would never finish.
func advances(what string, after, next uint64) error {
	if next != 0 && next <= after {
		return fmt.Errorf("%s: the server names %d as the page after %d (want a later one)", what, next, after)
	}
	return nil
}

// Backup writes a snapshot in the server's folder of backups.
func (c *Client) Backup(ctx context.Context, name string) (BackupAnswer, error) {
	return ask[BackupAnswer](ctx, c, call{method: http.MethodPost, path: "/v1/backup", body: Backup{name}})
}

// segment escapes an id as one segment of a path. It also escapes "." and "..", which a client would remove
// from the path.
func segment(id string) string {
	if id == "." || id == ".." {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}

// ask sends a call and returns its answer.
func ask[A any](ctx context.Context, c *Client, k call) (a A, err error) {
	k.out = &a
	return a, c.do(ctx, k)
}

// paged returns the query for up to limit changes after a change.
func paged(after uint64, limit int) url.Values {
	return url.Values{"after": {strconv.FormatUint(after, 10)}, "limit": {strconv.Itoa(limit)}}
}
