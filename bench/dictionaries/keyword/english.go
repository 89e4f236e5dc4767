package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup/feature/keyword"
)

// least is the number of documents that must have a word. Rarer words are names and slips, and would make the table
// personal.
const least = 3

// english trains a table on the first version of each document of ota_terms_versions, and on all of uci_sms. It only uses
// words of Latin letters.
func english(ctx context.Context, shared string) (table []byte, err error) {
	words, err := keyword.DefaultSplitter()
	if err != nil {
		return nil, err
	}
	t := keyword.NewTrainer(words, keyword.TrainOptions{})
	defer func() { err = errors.Join(err, t.Close()) }()
	for _, name := range []string{"ota_terms_versions/docs.jsonl.zst", "uci_sms/docs.jsonl"} {
		if err := firstVersions(filepath.Join(shared, name), t.Add); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	var b bytes.Buffer
	var all bytes.Buffer
	err = t.WriteTable(ctx, &all)
	if err == nil {
		err = keyword.Merge(ctx, &b, least, &all)
	}
	return b.Bytes(), err
}

// firstVersions calls f with the first text of each family.
func firstVersions(path string, f func(string) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	var r io.Reader = bufio.NewReader(in)
	if strings.HasSuffix(path, ".zst") {
		z, err := zstd.NewReader(r)
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	}
	seen := map[string]bool{}
	for docs := json.NewDecoder(r); ; {
		var doc struct{ Family, Text string }
		if err := docs.Decode(&doc); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if doc.Family != "" && seen[doc.Family] {
			continue
		}
		seen[doc.Family] = true
		if err := f(strings.Map(latin, doc.Text)); err != nil {
			return err
		}
	}
}

// latin keeps Latin letters and the apostrophe. All other runes separate words.
func latin(r rune) rune {
	if unicode.Is(unicode.Latin, r) || r == '\'' {
		return r
	}
	return ' '
}

// englishStopWords are articles, pronouns, prepositions, conjunctions, auxiliaries, particles, and parts of their
// contractions.
const englishStopWords = `
a an the this that these those such same other another each every either
neither both all any some no none few many much more most less least several
own i me my mine myself we us our ours ourselves you your yours yourself
yourselves he him his himself she her hers herself it its itself they them
their theirs themselves one ones who whom whose which what whatever whichever
whoever someone something anyone anything everyone everything nobody nothing
about above across after against along among around as at before behind below
beneath beside besides between beyond by despite down during except for from in
inside into like near of off on onto out outside over past per since than
through throughout till to toward towards under until unto up upon via with
within without and or but nor so yet if unless because although though while
whereas whether when whenever where wherever why how then thus hence therefore
however moreover furthermore otherwise also too only just even still again
already ever never always often sometimes here there now once very quite rather
almost not yes am is are was were be been being have has had having do does did
doing done will would shall should can could may might must ought cannot
don didn doesn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn
mustn ain ll ve re etc`
