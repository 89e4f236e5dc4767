package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	stdimage "image"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/simhash"
	"github.com/spf13/pflag"
)

// isFingerprint reports whether the text of a document stands for a picture.
func isFingerprint(text string) bool { return strings.HasPrefix(text, "pdq:") }

// setting returns one setting of a flag that holds settings, or nil if the command has no such flag.
func setting(fs *pflag.FlagSet, flag, name string) *pflag.Flag {
	if f := fs.Lookup(flag); f != nil {
		if s, ok := f.Value.(*spec); ok {
			return s.settings.Lookup(name)
		}
	}
	return nil
}

// pictured selects the method for pictures with --format images, and rejects it otherwise.
func pictured(fs *pflag.FlagSet) error {
	format, method := setting(fs, "format", "name"), fs.Lookup("method")
	pictures := format != nil && format.Value.String() == string(corpus.Images)
	if format != nil && !pictures && setting(fs, "format", "max-pixels").Changed {
		return usage("--format: max-pixels has no effect without images")
	}
	if method == nil {
		return nil
	}
	if keep := fs.Lookup("keep"); keep != nil && pictures {
		keys := strings.Split(keep.Value.String(), ";")
		for i, key := range keys {
			switch strings.TrimSpace(key) {
			case "longest", "shortest":
				return usage("--format images: --keep longest and shortest need texts (want first, largest, earliest or id)")
			case "largest":
				keys[i] = "largest " + corpus.PixelsField
			}
		}
		if err := keep.Value.Set(strings.Join(keys, ";")); err != nil {
			return err
		}
	}
	if audit := fs.Lookup("audit"); audit != nil && pictures { // the audit edits texts, so it does not fit pictures
		if err := audit.Value.Set("off"); err != nil {
			return err
		}
	}
	spec := method.Value.String()
	name, _, _ := strings.Cut(strings.TrimSpace(spec), " ")
	switch {
	case pictures && !method.Changed:
		return fs.Set("method", image.Name)
	case pictures && strings.Contains(name, "="):
		return fs.Set("method", image.Name+" "+spec)
	case pictures && name != image.Name && name != "exact":
		return usage("--format images: method %s compares texts (want images or exact)", name)
	}
	return nil
}

// thumbnailSide is the maximal width and height of a picture on the page.
const thumbnailSide = 192

// thumbnail makes a data URL of the picture in data. It returns "" if data is not a picture.
func thumbnail(data []byte) string {
	img, err := image.Decode(data, image.Limits{Bytes: int64(len(data))})
	if err == nil {
		data, err = image.Thumbnail(img, thumbnailSide)
	}
	if err != nil {
		return ""
	}
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(data)
}

// pictureSchemes maps the names of hashes in imagehash to functions that compute them.
var pictureSchemes = map[string]func(stdimage.Image) uint64{"phash": image.PHash, "dhash": image.DHash}

// pdq returns the fingerprint of a picture from the text that the reader made of it.
func pdq(text string) (v value, err error) {
	p, err := image.Parse(text)
	if err != nil {
		return v, err
	}
	return value{digits: p.Hashes[0].String(), few: p.Quality < image.DefaultQuality, size: &pictureSize{p.Quality, p.Width, p.Height}}, nil
}

// pictureScheme prints hashes of 64 bits. The reader provides them in place of texts.
func (f *fingerprint) pictureScheme() (p fingerprints, err error) {
	hash := pictureSchemes[f.scheme]
	if hash == nil {
		return p, usage("--format images: --scheme %s: invalid (want phash or dhash)", f.scheme)
	}
	f.input.opt.Picture = func(data []byte) (string, error) {
		img, err := image.Decode(data, image.Limits{Bytes: int64(len(data)), Pixels: f.input.maxPixels})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%016x", hash(img)), nil
	}
	return fingerprints{"", f.scheme, f.scheme + "/1", func(text string) (value, error) {
		fp, err := simhash.ParseHex(text)
		return value{fp: fp}, err
	}}, nil
}

// extrasOf reads the pictures of a record. It ignores a list without hashes, such as a list of addresses.
func extrasOf(dec *corpus.Decoder, it corpus.Item) (x api.Extras, err error) {
	var all []map[string]json.RawMessage
	hashed := func(entry map[string]json.RawMessage) bool { return entry["hash"] != nil }
	list := dec.Extra(it, "images")[0]
	if list == nil || json.Unmarshal([]byte(*list), &all) != nil || !slices.ContainsFunc(all, hashed) {
		return x, nil
	}
	for i, entry := range all {
		var one api.Image
		if json.Unmarshal(entry["hash"], &one.Hash) != nil {
			return x, fmt.Errorf("images[%d].hash: not a string", i)
		}
		if entry["quality"] == nil || json.Unmarshal(entry["quality"], &one.Quality) != nil {
			return x, fmt.Errorf("images[%d].quality: not a whole number", i)
		}
		x.Images = append(x.Images, one)
	}
	return x, nil
}

// A likeness compares two pictures on every scale.
type likeness struct {
	Verdict neardup.Match `json:"verdict"`
	// Turned is the verdict with the setting turned=on, if that is nearer.
	Turned *neardup.Match `json:"turned,omitempty"`
	PHash  int            `json:"pHashDistance"`
	DHash  int            `json:"dHashDistance"`
	A      pictureOf      `json:"a"`
	B      pictureOf      `json:"b"`
}

type pictureOf struct {
	PDQ string `json:"pdq"`
	pictureSize
	PHash        string `json:"pHash"`
	DHash        string `json:"dHash"`
	pHash, dHash uint64
	text         string
}

type pictureSize struct {
	Quality int `json:"quality"`
	Width   int `json:"width"`
	Height  int `json:"height"`
}

func looksLikePicture(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 512)
	_, _ = io.ReadFull(f, head) // a picture can be shorter than head
	return strings.HasPrefix(http.DetectContentType(head), "image/") || bytes.HasPrefix(head, []byte("II*\x00")) || bytes.HasPrefix(head, []byte("MM\x00*"))
}

func (c *compare) comparePictures(a, b string) error {
	if c.text || c.from != "" {
		return usage("pictures cannot be compared with --text or --from (want two files)")
	}
	c.input.format = string(corpus.Images)
	if err := pictured(c.cmd.Flags()); err != nil {
		return err
	}
	m, _, err := c.method.method()
	if err != nil {
		return err
	}
	var p likeness
	err = cmp.Or(p.A.read(a, int64(c.input.maxDocument), c.input.maxPixels), p.B.read(b, int64(c.input.maxDocument), c.input.maxPixels))
	if err != nil {
		return err
	}
	texts := [2]string{p.A.text, p.B.text}
	p.PHash, p.DHash = simhash.Distance(p.A.pHash, p.B.pHash), simhash.Distance(p.A.dHash, p.B.dHash)
	p.Verdict = verdict(m, texts[0], texts[1])
	turned, err := image.New(image.Config{Turned: true})
	if err != nil {
		return err
	}
	if t := turned.Compare(turned.Prepare(texts[0]), turned.Prepare(texts[1])); t.Distance < p.Verdict.Distance {
		p.Turned = &t
	}
	if c.json {
		return indented(c.stdout, p)
	}
	p.write(c.stdout)
	return nil
}

func (p *pictureOf) read(path string, most, mostPixels int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > most {
		return fmt.Errorf("%s: too large (want at most %d bytes; see --max-document)", path, most)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	limits := image.Limits{Bytes: most, Pixels: mostPixels}
	img, err := image.Decode(data, limits)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := image.Read(data, limits)
	p.PDQ, p.pictureSize, p.text = f.Hashes[0].String(), pictureSize{f.Quality, f.Width, f.Height}, f.String()
	p.pHash, p.dHash = image.PHash(img), image.DHash(img)
	p.PHash, p.DHash = fmt.Sprintf("%016x", p.pHash), fmt.Sprintf("%016x", p.dHash)
	return err
}

func (p *likeness) write(w io.Writer) {
	v := "new"
	if p.Verdict.Near {
		v = "duplicate"
	}
	v += fmt.Sprintf(": %.4f, %s", p.Verdict.Similarity, p.Verdict.Basis)
	if !p.Verdict.Near {
		v += ", is not near"
	}
	fmt.Fprintf(w, "verdict     %s (%s)\n", v, p.Verdict.Method)
	if p.Turned != nil {
		fmt.Fprintf(w, "turned      %d bits of %d differ: %s\n", p.Turned.Distance, image.Bits, p.Turned.Basis)
	}
	fmt.Fprintf(w, "%-11d bits of %d differ in PDQ\n%-11d bits of 64 differ in pHash\n%-11d bits of 64 differ in dHash\n", p.Verdict.Distance, image.Bits, p.PHash, p.DHash)
	for _, of := range []pictureOf{p.A, p.B} {
		fmt.Fprintf(w, "%s  quality %d, %d x %d, pHash %s, dHash %s\n", of.PDQ, of.Quality, of.Width, of.Height, of.PHash, of.DHash)
	}
}
