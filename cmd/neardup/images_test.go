//go:build full

package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup/internal/test/pictures"
	"github.com/rogpeppe/go-internal/testscript"
)

// drawPictures implements "pictures FOLDER": a picture and edits of it, different ones, flat ones, and
// unreadable files.
func drawPictures(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: pictures folder")
	}
	put := func(name string, data []byte, err error) {
		ts.Check(err)
		path := ts.MkAbs(filepath.Join(args[0], name))
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o777))
		ts.Check(os.WriteFile(path, data, 0o666))
	}
	encoded := func(img image.Image) ([]byte, error) {
		var b bytes.Buffer
		err := png.Encode(&b, img)
		return b.Bytes(), err
	}
	first := pictures.Draw(1, 240, 180)
	data, err := encoded(first)
	put("a.png", data, err)
	put("copy.png", data, err)
	put("list.jsonl", []byte(strings.Join([]string{
		`{"id":"by path","image":"a.png"}`, `{"id":"in base64","image":"` + base64.StdEncoding.EncodeToString(data) + `"}`,
		`{"id":"of nothing","image":"gone.png"}`, `{"id":"by its hash","image":"pdq:` + strings.Repeat("00", 32) + `"}`,
	}, "\n")), nil)
	put("here.jsonl", []byte(`{"id":"zero","image":"photos/a.png"}`+"\n"+`{"id":"one","image":"photos/copy.png"}`), nil)
	for _, e := range pictures.Edits() {
		if e.Name == "half as wide and high" || e.Name == "watermark in a corner" {
			data, err := e.Make(first, rand.New(rand.NewPCG(1, 2)))
			put("edit-"+e.Name[:4]+e.Ends, data, err)
		}
	}
	data, err = pictures.JPEG(pictures.Turned(first), 85)
	put("turned.jpg", data, err)
	data, err = pictures.JPEG(pictures.Draw(2, 240, 180), 85)
	put("other.jpg", data, err)
	data, err = encoded(image.NewGray(image.Rect(0, 0, 50, 50)))
	put("flat.png", data, err)
	put("flat-copy.png", data, err)
	data, err = encoded(image.NewGray(image.Rect(0, 0, 51, 50)))
	put("flat-wider.png", data, err)
	put("new.avif", []byte("\x00\x00\x00\x20ftypavif\x00\x00\x00\x00"), nil)
	put("broken.png", data[:60], nil)
}
