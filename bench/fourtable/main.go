// Command fourtable is the docId service as the classic article lays it out, to
// be measured beside neardup: a table for each stage in Redis, nid -> docId in
// MySQL, and each article looked up, compared and put, with nothing that makes the
// three one step. Docids by two servers, or two requests, at one moment are therefore
// doubled; how many is what it is here for. It takes neardup's requests.
//
//	URL_INDEX:<url>            docId
//	TITLE_INDEX:<signature>    docId
//	CONTENT_INDEX:<n>:<block>  list of signature and docId, for each of four blocks of 16 bits
package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/bits"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/text"
	"github.com/redis/rueidis"
)

func main() {
	redis := flag.String("redis", "127.0.0.1:6379", "a Redis")
	database := flag.String("mysql", "root@tcp(127.0.0.1:3306)/neardup", "a database")
	addrFile := flag.String("addr-file", "", "write the address to this file when it is ready")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *redis, *database, *addrFile); err != nil {
		fmt.Fprintln(os.Stderr, "fourtable:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, redis, database, addrFile string) error {
	s, err := open(ctx, redis, database)
	if err != nil {
		return err
	}
	defer s.close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/articles", s.one)
	mux.HandleFunc("POST /v1/batch", s.batch)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	defer server.Close()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	if err := os.WriteFile(addrFile, []byte(l.Addr().String()), 0o600); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		return err
	}
}

// service is the article's process.
type service struct {
	c              rueidis.Client
	db             *sql.DB
	put            *sql.Stmt
	clean          neardup.Cleaner
	title, content neardup.Method // their sketch is the signature
}

func open(ctx context.Context, redis, database string) (*service, error) {
	settings := standard.Classic()
	title, err := settings.TitleMethod(0, nil)
	if err != nil {
		return nil, err
	}
	content, err := settings.ContentMethod(0, nil)
	if err != nil {
		return nil, err
	}
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{redis}, DisableCache: true})
	if err != nil {
		return nil, err
	}
	config, err := mysql.ParseDSN(database)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	s := &service{c: c, db: sql.OpenDB(connector), clean: text.Default(), title: title, content: content}
	s.db.SetMaxOpenConns(16)
	s.db.SetMaxIdleConns(16)
	if _, err := s.db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS fourtable (nid VARBINARY(255) PRIMARY KEY, docid CHAR(33) NOT NULL)"); err != nil {
		return nil, err
	}
	s.put, err = s.db.PrepareContext(ctx, "INSERT IGNORE INTO fourtable VALUES (?, ?)")
	return s, err
}

func (s *service) close() {
	_ = s.db.Close() // each row was committed
	s.c.Close()
}

func (s *service) one(w http.ResponseWriter, r *http.Request) {
	var a load.Article
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id, err := s.decide(r.Context(), a)
	reply(w, map[string]string{"docId": id}, err)
}

func (s *service) batch(w http.ResponseWriter, r *http.Request) {
	var in struct{ Articles []load.Article }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ids := make([]string, len(in.Articles))
	for i, a := range in.Articles {
		var err error
		if ids[i], err = s.decide(r.Context(), a); err != nil {
			reply(w, nil, err)
			return
		}
	}
	reply(w, ids, nil)
}

func reply(w http.ResponseWriter, answer any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // who has gone needs no answer
}

// decide looks an article up, and puts what it is found by if it is new. Between
// the two anybody may do the same.
func (s *service) decide(ctx context.Context, a load.Article) (string, error) {
	url, title := "URL_INDEX:"+a.URL, "TITLE_INDEX:"+strconv.FormatUint(signature(s.title, s.clean.Clean(a.Title)), 16)
	of := signature(s.content, s.clean.Clean(a.Content))
	id, err := s.find(ctx, url, title, of)
	if err != nil {
		return "", err
	}
	if id == "" {
		if id, err = s.add(ctx, url, title, of); err != nil {
			return "", err
		}
	}
	_, err = s.put.ExecContext(ctx, a.NID, id)
	return id, err
}

func signature(m neardup.Method, clean string) uint64 {
	var rec neardup.Record
	m.Record(clean, &rec)
	return rec.Sketch
}

// find looks at url, title and content, in this order; "": a new article.
func (s *service) find(ctx context.Context, url, title string, of uint64) (string, error) {
	for _, key := range []string{url, title} {
		id, err := s.c.Do(ctx, s.c.B().Get().Key(key).Build()).ToString()
		if !rueidis.IsRedisNil(err) {
			return id, err
		}
	}
	var asks rueidis.Commands
	for n := range 4 {
		asks = append(asks, s.c.B().Lrange().Key(table(n, of)).Start(0).Stop(-1).Build())
	}
	for _, r := range s.c.DoMulti(ctx, asks...) {
		list, err := r.AsStrSlice()
		if err != nil {
			return "", err
		}
		for _, e := range list {
			other, err := strconv.ParseUint(e[:16], 16, 64)
			if err != nil {
				return "", err
			}
			if bits.OnesCount64(other^of) <= 3 {
				return e[16:], nil
			}
		}
	}
	return "", nil
}

func table(n int, of uint64) string {
	return fmt.Sprintf("CONTENT_INDEX:%d:%04x", n, of>>(16*n)&0xffff)
}

// add gives a docId and puts what it is found by.
func (s *service) add(ctx context.Context, url, title string, of uint64) (string, error) {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	id := hex.EncodeToString(random[:8]) + "-" + hex.EncodeToString(random[8:])
	puts := rueidis.Commands{
		s.c.B().Set().Key(url).Value(id).Build(),
		s.c.B().Set().Key(title).Value(id).Build(),
	}
	for n := range 4 {
		puts = append(puts, s.c.B().Rpush().Key(table(n, of)).Element(fmt.Sprintf("%016x", of)+id).Build())
	}
	var errs []error
	for _, r := range s.c.DoMulti(ctx, puts...) {
		errs = append(errs, r.Error())
	}
	return id, errors.Join(errs...)
}
