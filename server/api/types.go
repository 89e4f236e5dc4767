// Package api defines the types of neardup's HTTP interface, and the [Client] that sends requests. It depends
// only on the standard library and on neardup's own types.
package api

import (
	"time"

	"github.com/neardup/neardup/docid"
)

// Article is one article as a caller submits it. Every field is optional, but an article without url, title
// and text can never be recognised.
type Article struct {
	NID         string `json:"id,omitempty" example:"17" doc:"The caller's own id of the article, at most 256 bytes; requests may name it nid. The same article with the same id gets the first answer again; another article with this id is a conflict."`
	URL         string `json:"url,omitempty" example:"http://a.example/fox" doc:"Address of the article; never fetched."`
	Title       string `json:"title,omitempty" example:"A fox"`
	Content     string `json:"text,omitempty" example:"The quick brown fox jumps over the lazy dog." doc:"The text, UTF-8, at most 1 MiB; requests may name it content."`
	Category    string `json:"category,omitempty" doc:"Returned with the kept copy."`
	Media       string `json:"media,omitempty" doc:"Returned with the kept copy."`
	ImageCount  string `json:"imageCount,omitempty" doc:"Returned with the kept copy."`
	Heat        int64  `json:"heat,omitempty" doc:"The hottest article of a docId is kept whole; of equally hot ones the earliest."`
	PublishTime string `json:"publishTime,omitempty" format:"date-time" doc:"RFC 3339."`
	Extras
}

// Extras holds what an article carries besides its texts.
type Extras struct {
	// Images holds pictures, for a server with --images.
	Images []Image `json:"images,omitempty" maxItems:"50" doc:"Hashes of the article's pictures, which confirm or contradict its text; an index that was made without --images refuses them."`
}

// Image is a picture given by its hash. The caller computes the hash or requests it from POST /v1/images.
type Image struct {
	Hash    string `json:"hash" doc:"PDQ: 64 hexadecimal digits."`
	Quality int    `json:"quality" minimum:"0" maximum:"100" doc:"Quality of the hash; below 50 the picture is ignored."`
}

// Hashed is the answer to a request to hash a picture.
type Hashed struct {
	Image
	Width  int  `json:"width"`
	Height int  `json:"height"`
	Flat   bool `json:"flat" doc:"The quality is below 50, so the picture is ignored."`
}

// Submission is an article to decide on.
type Submission struct {
	Article
	TTLSeconds    int64 `json:"ttlSeconds,omitempty" minimum:"0" maximum:"3153600000" doc:"Lifetime of the docId if the article is new; 0: the server's setting."`
	WindowSeconds int64 `json:"windowSeconds,omitempty" minimum:"0" maximum:"3153600000" doc:"Compare only with docIds of at most this age; 0: the server's setting."`
}

// BatchEntry is a submission within a batch.
type BatchEntry struct {
	Submission
	IdempotencyKey string `json:"idempotencyKey,omitempty" doc:"Same as the Idempotency-Key header of a single submission."`
}

// Batch is up to 100 submissions, decided in their order.
type Batch struct {
	Articles []BatchEntry `json:"articles" minItems:"1" maxItems:"100" nullable:"false"`
}

// Answer is the decision on one article (see [docid.Answer]). An article without an id
// gets the id "~" followed by its seq.
type Answer = docid.Answer

// Near asks for the docIds that are most like an article. Nothing is stored.
type Near struct {
	Submission
	Top int `json:"top,omitempty" minimum:"1" maximum:"100" default:"10" doc:"How many docIds to return."`
}

// Neighbors are the docIds that are most like an article, the most alike first.
type Neighbors struct {
	Seq       uint64           `json:"seq" doc:"The last change seen."`
	Neighbors []docid.Neighbor `json:"neighbors" nullable:"false"`
}

// BatchAnswer holds an answer or a problem for each article.
type BatchAnswer struct {
	Seq     uint64       `json:"seq" doc:"Number of the last change of this batch."`
	Answers []EntryReply `json:"answers" nullable:"false"`
}

// EntryReply is the answer to one entry of a batch, or its problem.
type EntryReply struct {
	Answer  *Answer  `json:"answer,omitempty"`
	Problem *Problem `json:"problem,omitempty"`
}

// Revision changes an article. Absent fields stay unchanged.
type Revision struct {
	Heat    *int64  `json:"heat,omitempty" example:"7"`
	Content *string `json:"text,omitempty" doc:"A new text of the article. The docId and all earlier answers stay the same."`
}

// Change is the answer to a change that needs no decision.
type Change struct {
	Seq   uint64 `json:"seq"`
	DocID string `json:"docId"`
	NID   string `json:"id,omitempty"`
	Kind  string `json:"change" enum:"update,delete,end"`
	Heat  *int64 `json:"heat,omitempty"`
}

// Member is an article of a docId without its text.
type Member struct {
	Article
	Seq uint64 `json:"seq" doc:"The change that added it."`
	// Disagrees is true if the member can never be the kept article.
	Disagrees bool    `json:"contentsDisagree,omitempty" doc:"Its content contradicts the leader's, so it is never the kept article."`
	Evidence  *Answer `json:"evidence,omitempty" doc:"The answer to its submission; absent if the log no longer has its evidence."`
	// Corrected records the person and the reason of a move to this docId.
	Corrected *docid.Corrected `json:"corrected,omitempty" doc:"A person has moved the article to this docId since the answer."`
}

// Correction moves a decided article to another docId: to that of another article, or to a named one. With
// neither, the article gets a new docId.
type Correction struct {
	With    string  `json:"with,omitempty" example:"18" doc:"The id of an article; move to its docId."`
	DocID   string  `json:"docId,omitempty" doc:"The docId to move to."`
	Content *string `json:"text,omitempty" doc:"The text of the article, for a new docId. Needed if the service does not store it; it stores that of each docId's kept article."`
	Why     string  `json:"why,omitempty" doc:"At most 1 KiB; kept with the change."`
}

// CorrectionAnswer reports the docId of an article after a correction.
type CorrectionAnswer struct {
	Seq       uint64           `json:"seq" doc:"The change; if nothing changed, the last change seen."`
	NID       string           `json:"id"`
	DocID     string           `json:"docId" doc:"The current docId of the article."`
	Corrected *docid.Corrected `json:"corrected,omitempty"`
	Unchanged bool             `json:"unchanged,omitempty" doc:"The article already had that docId, so nothing was written."`
}

// Ruling is a person's decision on two articles, given by their ids.
type Ruling struct {
	A    string `json:"a" example:"17"`
	B    string `json:"b" example:"18"`
	Link string `json:"link" example:"must" enum:"must,cannot,unsure," doc:"must: duplicates; cannot: not duplicates; unsure: a person cannot decide; empty: the ruling is withdrawn."`
	Why  string `json:"why,omitempty" example:"the same event" doc:"At most 1 KiB; kept with the change."`
}

// RulingEntry is a recorded ruling.
type RulingEntry struct {
	Ruling
	Seq  uint64    `json:"seq"`
	Was  string    `json:"was" doc:"The earlier ruling on the pair."`
	Who  string    `json:"who" doc:"Name of the token that made the ruling."`
	Time time.Time `json:"time"`
}

// Ruled is the answer to a ruling.
type Ruled struct {
	RulingEntry
	Unknown []string `json:"unknown,omitempty" doc:"Those of the two ids that no article has yet; the ruling applies once they exist."`
}

// Rulings is a page of rulings in order. The last ruling on a pair holds.
type Rulings struct {
	Seq     uint64        `json:"seq" doc:"The last change seen."`
	Rulings []RulingEntry `json:"rulings" nullable:"false"`
	Next    uint64        `json:"next,omitempty" doc:"The value of after for the next page; absent on the last."`
}

// Said is a person's decision that a change of the log records.
type Said struct {
	Who    string `json:"who"`
	Why    string `json:"why,omitempty"`
	Other  string `json:"other,omitempty" doc:"The id of the other article of the pair."`
	Link   string `json:"link,omitempty"`
	Was    string `json:"was,omitempty"`
	Before string `json:"before,omitempty" doc:"The docId that a corrected article had."`
}

// MemberAnswer is the answer to a look-up by nid.
type MemberAnswer struct {
	Seq    uint64 `json:"seq" doc:"The last change seen."`
	DocID  string `json:"docId"`
	Member Member `json:"article"`
}

// Group is a docId with a page of its members.
type Group struct {
	Seq      uint64     `json:"seq" doc:"The last change seen."`
	DocID    string     `json:"docId"`
	Size     int        `json:"size" doc:"Number of living articles."`
	Leader   Leader     `json:"leader"`
	Expires  *time.Time `json:"expires,omitempty"`
	Kept     *Article   `json:"kept,omitempty" doc:"The hottest article, with its text."`
	KeptGone bool       `json:"keptGone,omitempty" doc:"The kept article was deleted, and no other member's text is stored. The next article that joins, or that an update gives a text, is kept."`
	Hotter   *Hotter    `json:"hotter,omitempty" doc:"This article is now hotter than the kept one, but its text is not stored. An update with its text makes it the kept one."`
	// HotterUnknown is true if the docId has too many articles to check all.
	HotterUnknown bool     `json:"hotterUnknown,omitempty" doc:"Another article may now be hotter than the kept one; there are too many articles to check."`
	Members       []Member `json:"members" nullable:"false"`
	Next          uint64   `json:"next,omitempty" doc:"The value of after for the next page; absent on the last."`
}

// Hotter is an article that would be kept if its text were stored.
type Hotter struct {
	NID  string `json:"id"`
	Heat int64  `json:"heat"`
}

// Leader is the article that created a docId.
type Leader struct {
	ID   string    `json:"id" doc:"Its id, or after its deletion ~ and the number of the change that added it."`
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"`
}

// GroupSize is a docId with the number of its living articles.
type GroupSize struct {
	DocID string `json:"docId"`
	Size  int    `json:"size"`
}

// Groups is a page of docIds, the largest first.
type Groups struct {
	Seq    uint64      `json:"seq" doc:"The last change seen."`
	Groups []GroupSize `json:"groups" nullable:"false"`
	Next   string      `json:"next,omitempty" doc:"The value of after for the next page; absent on the last."`
}

// Pair holds two articles to compare. Nothing is stored.
type Pair struct {
	A Article `json:"a"`
	B Article `json:"b"`
}

// Comparison reports how two articles match in each stage.
type Comparison struct {
	Seq uint64 `json:"seq" doc:"The last change seen."`
	docid.Comparison
}

// Found lists the docIds with a given url or title, the oldest first.
type Found struct {
	Seq    uint64   `json:"seq" doc:"The last change seen."`
	DocIDs []string `json:"docIds" nullable:"false"`
}

// Stats holds the counts of a tenant.
type Stats struct {
	Seq      uint64 `json:"seq" doc:"The last change seen."`
	DocIDs   int    `json:"docIds" doc:"Number of living docIds."`
	Articles int    `json:"articles" doc:"Number of living articles."`
	Quota    int    `json:"quota,omitempty" doc:"Largest number of living articles; 0: no limit."`
	Keys     int    `json:"keys" doc:"Entries of the index in memory."`
	Memory   int    `json:"memoryBytes" doc:"Approximate memory of the index."`
	// Epochs distinguishes histories that share change numbers.
	Epochs []Epoch `json:"epochs" nullable:"false" doc:"Parts of the log; a copy that replaces the original begins one."`
}

// Entry is one change in the log of a tenant, without texts.
type Entry struct {
	Seq      uint64    `json:"seq"`
	Kind     string    `json:"change" enum:"new,duplicate,update,delete,end,expire,forget,epoch,correct,rule"`
	DocID    string    `json:"docId,omitempty"`
	NID      string    `json:"id,omitempty"`
	Time     time.Time `json:"time"`
	Heat     int64     `json:"heat,omitempty"`
	Epoch    string    `json:"epoch,omitempty" doc:"The epoch that this change begins."`
	Evidence *Answer   `json:"evidence,omitempty"`
	Ruling   *Said     `json:"ruling,omitempty" doc:"For a correction or a rule: the person, the decision and the reason."`
}

// Epoch is a part of the log. After a server is restored from a copy, it reuses the numbers after those of
// the copy in a new epoch.
type Epoch struct {
	First uint64 `json:"first" doc:"Its first change, which begins the epoch."`
	Epoch string `json:"epoch" doc:"Its name: 16 random hex digits."`
}

// UnsureArticles is a page of articles that a person should compare with the one that VariantOf names.
type UnsureArticles struct {
	Seq      uint64   `json:"seq" doc:"The last change seen."`
	Articles []Answer `json:"articles" nullable:"false"`
	Next     uint64   `json:"next,omitempty" doc:"For the next page, pass it as before. A page may have fewer articles than the limit, or none, and still a next."`
}

// Log is a page of the log: complete, in order and without gaps.
type Log struct {
	Seq     uint64  `json:"seq" doc:"The last change seen."`
	Epochs  []Epoch `json:"epochs" nullable:"false" doc:"All epochs of the log, in order. If they differ from those of the previous page, changes were replaced; read again from the first epoch that differs."`
	Entries []Entry `json:"entries" nullable:"false"`
}

// Backup requests a snapshot.
type Backup struct {
	Name string `json:"name" example:"monday" minLength:"1" maxLength:"64" pattern:"^[A-Za-z0-9_-][A-Za-z0-9._-]*$" doc:"Name of a new folder in the server's folder of backups."`
}

// BackupAnswer reports that a snapshot holds every change up to seq.
type BackupAnswer struct {
	Seq  uint64 `json:"seq"`
	Name string `json:"name"`
}
