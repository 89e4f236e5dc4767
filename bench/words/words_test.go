// Package words_test asks whether the segmented words of a text are worth keeping
// in Redis, for 7 days as the classic article keeps them, instead of cutting the
// text again: what either costs, by language.
//
//	go test ./words -v -texts 20000
package words_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/klauspost/compress/zstd"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/internal/redisclient"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text"
	"github.com/zeebo/xxh3"
)

var most = flag.Int("texts", 50, "texts of each set")

// sets are real texts: long and short ones of both kinds of script.
var sets = []struct {
	name, file string
	bytes      int // of a text at most, so that articles have the length of articles
}{
	{"Chinese articles", "zh_lctt_proofread/docs.jsonl.zst", 3000},
	{"Chinese headlines", "zh_weibo_hotsearch/titles.tsv.zst", 3000},
	{"English terms", "ota_terms_versions/docs.jsonl.zst", 3000},
	{"English messages", "uci_sms/docs.jsonl", 3000},
}

// read returns the clean texts of a set.
func read(t *testing.T, file string, bytes int) []string {
	t.Helper()
	f, err := os.Open(shared.Path(t, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".zst") {
		z, err := zstd.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	clean := text.Default()
	var all []string
	for lines.Scan() && len(all) < *most {
		line := lines.Text()
		var doc struct{ Text string }
		if json.Unmarshal([]byte(line), &doc) != nil {
			_, doc.Text, _ = strings.Cut(line, "\t")
		}
		doc.Text = strings.ToValidUTF8(doc.Text[:min(len(doc.Text), bytes)], "")
		if s := clean.Clean(doc.Text); s != "" {
			all = append(all, s)
		}
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d texts, %v", file, len(all), err)
	}
	return all
}

// keys name texts by their hash.
func keyOf(clean string) string {
	h := xxh3.HashString128(clean).Bytes()
	return "words:" + string(h[:])
}

// pack writes words as their lengths where the text has them: the shortest form
// there is, a byte a word. What is between two words is a length of its own.
func pack(clean string, words []string) string {
	b := make([]byte, 0, 2*len(words))
	p := 0
	for _, w := range words {
		at := strings.Index(clean[p:], w)
		if at < 0 || len(w) > 255 {
			return ""
		}
		for gap := at; ; gap -= 255 {
			b = append(b, byte(min(gap, 255)))
			if gap < 255 {
				break
			}
		}
		b = append(b, byte(len(w)))
		p += at + len(w)
	}
	return string(b)
}

// unpack reads what pack wrote.
func unpack(words []string, clean, packed string) []string {
	p := 0
	for i := 0; i < len(packed); {
		for packed[i] == 255 {
			p, i = p+255, i+1
		}
		from := p + int(packed[i])
		p = from + int(packed[i+1])
		words, i = append(words, clean[from:p]), i+2
	}
	return words
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // of itself it never fails
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestWords: what the cache gives are the words that were cut.
func TestWords(t *testing.T) {
	server := services.Redis(t)
	o, err := redisclient.ParseURL("redis://" + server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	c, err := redisclient.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	split, err := keyword.DefaultSplitter()
	if err != nil {
		t.Fatal(err)
	}
	split.Append(nil, "中文") // loads the dictionary
	for _, set := range sets {
		texts := slices.DeleteFunc(read(t, set.file, set.bytes), func(s string) bool { // of some, words are not parts
			words := split.Append(nil, s)
			return !slices.Equal(unpack(nil, s, pack(s, words)), words)
		})
		words := make([][]string, len(texts))
		size := 0
		begin := cpu()
		for i, s := range texts {
			words[i] = split.Append(nil, s)
			size += len(s)
		}
		cut := cpu() - begin

		var bytes int
		before := server.CPU()
		put, own := measure(t, len(texts), func(i int) error {
			packed := pack(texts[i], words[i])
			_, err := c.Do(t.Context(), "SET", keyOf(texts[i]), packed, "EX", 7*24*3600)
			return err
		})
		putServer := server.CPU() - before
		for i := range texts {
			bytes += len(pack(texts[i], words[i]))
		}
		used, err := redis.Int64(c.Do(t.Context(), "MEMORY", "USAGE", keyOf(texts[0])))
		if err != nil {
			t.Fatal(err)
		}

		before = server.CPU()
		got, again := measure(t, len(texts), func(i int) error {
			packed, err := redis.String(c.Do(t.Context(), "GET", keyOf(texts[i])))
			if err != nil {
				return err
			}
			if found := unpack(nil, texts[i], packed); !slices.Equal(found, words[i]) {
				return fmt.Errorf("text %d: other words", i)
			}
			return nil
		})
		getServer := server.CPU() - before
		n := float64(len(texts))
		each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / n }
		t.Logf("%s: %d texts of %.0f bytes: to cut %.1f us; to keep %.1f us here and %.1f in Redis, %.0f bytes packed (%d in Redis, of the first); to fetch %.1f us here and %.1f in Redis; wall %.0f and %.0f us",
			set.name, len(texts), float64(size)/n, each(cut), each(own), each(putServer), float64(bytes)/n, used, each(again), each(getServer), each(put), each(got))
	}
}

// clients is how many ask at one moment, so that calls share a write as they do in a
// busy service.
const clients = 16

// measure does something for each text from many clients, and returns the time and
// this process's time of the processor.
func measure(t *testing.T, n int, work func(i int) error) (wall, own time.Duration) {
	t.Helper()
	start, begin := time.Now(), cpu()
	var group sync.WaitGroup
	errs := make([]error, clients)
	for c := range clients {
		group.Go(func() {
			for i := c; i < n && errs[c] == nil; i += clients {
				errs[c] = work(i)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return time.Since(start), cpu() - begin
}
