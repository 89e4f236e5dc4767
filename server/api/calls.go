package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Submit decides on an article and stores it. Where key is empty and the
// article has no nid, a key is drawn, so that it is stored once.
func (c *Client) Submit(ctx context.Context, s Submission, key string) (Answer, error) {
	if key == "" && s.NID == "" {
		key = newKey()
	}
	var a Answer
	return a, c.do(ctx, call{method: http.MethodPost, path: "/v1/articles", key: key, body: s, out: &a})
}

// SubmitJSON does so with an article as it is, in JSON; the key or the nid in it makes it count once.
func (c *Client) SubmitJSON(ctx context.Context, article []byte, key string) (Answer, error) {
	var a Answer
	return a, c.do(ctx, call{method: http.MethodPost, path: "/v1/articles", key: key, raw: article, mime: mimeJSON, out: &a})
}

// SubmitBatch decides on up to 100 articles, in order. Entries with neither
// key nor nid get a key.
func (c *Client) SubmitBatch(ctx context.Context, entries []BatchEntry) (BatchAnswer, error) {
	entries = slices.Clone(entries)
	for i := range entries {
		if e := &entries[i]; e.IdempotencyKey == "" && e.NID == "" {
			e.IdempotencyKey = newKey()
		}
	}
	var a BatchAnswer
	return a, c.do(ctx, call{method: http.MethodPost, path: "/v1/batch", body: Batch{entries}, out: &a})
}

// Image hashes a picture, a file such as a JPEG, for the images of an article. Nothing is stored.
func (c *Client) Image(ctx context.Context, file []byte) (Hashed, error) {
	var h Hashed
	return h, c.do(ctx, call{method: http.MethodPost, path: "/v1/images", raw: file, mime: "application/octet-stream", out: &h})
}

// Check decides on an article without storing it.
func (c *Client) Check(ctx context.Context, s Submission) (Answer, error) {
	var a Answer
	return a, c.do(ctx, call{method: http.MethodPost, path: "/v1/check", body: s, out: &a})
}

// Compare compares two articles, stage by stage.
func (c *Client) Compare(ctx context.Context, p Pair) (Comparison, error) {
	var a Comparison
	return a, c.do(ctx, call{method: http.MethodPost, path: "/v1/compare", body: p, out: &a})
}

// Article finds an article and its docId.
func (c *Client) Article(ctx context.Context, nid string) (MemberAnswer, error) {
	var a MemberAnswer
	return a, c.do(ctx, call{method: http.MethodGet, path: "/v1/articles/" + segment(nid), out: &a})
}

// Revise changes heat or text of an article.
func (c *Client) Revise(ctx context.Context, nid string, r Revision) (Change, error) {
	var a Change
	return a, c.do(ctx, call{method: http.MethodPatch, path: "/v1/articles/" + segment(nid), body: r, out: &a})
}

// Correct moves an article to another docId.
func (c *Client) Correct(ctx context.Context, nid string, to Correction) (CorrectionAnswer, error) {
	var a CorrectionAnswer
	return a, c.do(ctx, call{method: http.MethodPost, path: "/v1/articles/" + segment(nid) + "/correct", body: to, out: &a})
}

// Rule says something of two articles.
func (c *Client) Rule(ctx context.Context, r Ruling) (RulingEntry, error) {
	var a RulingEntry
	return a, c.do(ctx, call{method: http.MethodPost, path: "/v1/rulings", body: r, out: &a})
}

// Rulings returns up to limit rulings that were made after a change.
func (c *Client) Rulings(ctx context.Context, after uint64, limit int) (Rulings, error) {
	var a Rulings
	q := url.Values{"after": {strconv.FormatUint(after, 10)}, "limit": {strconv.Itoa(limit)}}
	return a, c.do(ctx, call{method: http.MethodGet, path: "/v1/rulings", query: q, out: &a})
}

// Delete deletes an article. A repeated attempt whose first had arrived says
// that there is none.
func (c *Client) Delete(ctx context.Context, nid string) (Change, error) {
	var a Change
	return a, c.do(ctx, call{method: http.MethodDelete, path: "/v1/articles/" + segment(nid), out: &a})
}

// DocID reads a docId with up to limit members that came after a change.
func (c *Client) DocID(ctx context.Context, docID string, after uint64, limit int) (Group, error) {
	var a Group
	q := url.Values{"after": {strconv.FormatUint(after, 10)}, "limit": {strconv.Itoa(limit)}}
	return a, c.do(ctx, call{method: http.MethodGet, path: "/v1/docids/" + segment(docID), query: q, out: &a})
}

// DocIDs lists docIds of at least minSize articles, the largest first; after
// is Next of the page before.
func (c *Client) DocIDs(ctx context.Context, minSize int, after string, limit int) (Groups, error) {
	var a Groups
	q := url.Values{"minSize": {strconv.Itoa(minSize)}, "limit": {strconv.Itoa(limit)}}
	if after != "" {
		q.Set("after", after)
	}
	return a, c.do(ctx, call{method: http.MethodGet, path: "/v1/docids", query: q, out: &a})
}

// End ends a docId.
func (c *Client) End(ctx context.Context, docID string) (Change, error) {
	var a Change
	return a, c.do(ctx, call{method: http.MethodDelete, path: "/v1/docids/" + segment(docID), out: &a})
}

// FindURL returns the docIds that an address leads to.
func (c *Client) FindURL(ctx context.Context, address string) (Found, error) {
	var a Found
	return a, c.do(ctx, call{method: http.MethodGet, path: "/v1/find", query: url.Values{"url": {address}}, out: &a})
}

// FindTitle returns the docIds that a title leads to.
func (c *Client) FindTitle(ctx context.Context, title string) (Found, error) {
	var a Found
	return a, c.do(ctx, call{method: http.MethodGet, path: "/v1/find", query: url.Values{"title": {title}}, out: &a})
}

// Evidence returns the answer given with a change.
func (c *Client) Evidence(ctx context.Context, seq uint64) (Answer, error) {
	var a Answer
	return a, c.do(ctx, call{method: http.MethodGet, path: "/v1/changes/" + strconv.FormatUint(seq, 10), out: &a})
}

// Stats returns the counts of the tenant.
func (c *Client) Stats(ctx context.Context) (Stats, error) {
	var a Stats
	return a, c.do(ctx, call{method: http.MethodGet, path: "/v1/stats", out: &a})
}

// Log returns up to limit changes after one.
func (c *Client) Log(ctx context.Context, after uint64, limit int) (Log, error) {
	var a Log
	q := url.Values{"after": {strconv.FormatUint(after, 10)}, "limit": {strconv.Itoa(limit)}}
	return a, c.do(ctx, call{method: http.MethodGet, path: "/v1/log", query: q, out: &a})
}

// Backup writes a snapshot in the server's folder of backups.
func (c *Client) Backup(ctx context.Context, name string) (BackupAnswer, error) {
	var a BackupAnswer
	return a, c.do(ctx, call{method: http.MethodPost, path: "/v1/backup", body: Backup{name}, out: &a})
}

// segment escapes an id as one segment of a path; "." and ".." too, which a
// path would swallow.
func segment(id string) string {
	if id == "." || id == ".." {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}
