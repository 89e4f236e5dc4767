package server_test

import (
	"bytes"
	"encoding/json"
	stdimage "image"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/internal/test/pictures"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/text"
)

// pictured makes a server accept pictures of at most 300 KB and 100,000 pixels.
func pictured(c *server.Config) {
	c.Pictures = &image.Limits{Bytes: 300_000, Pixels: 100_000}
	c.Settings = func(string) docid.Settings {
		s := settings("")
		s.CommonPictures = .001
		return s
	}
}

func pngOf(t *testing.T, img stdimage.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t *testing.T, img stdimage.Image, quality int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A picture is sent, and its hash is that of package image.
func TestImage(t *testing.T) {
	f := start(t, pictured)
	c := f.client("news", server.Submit)
	drawn := pngOf(t, pictures.Draw(1, 200, 160))
	want, err := image.Read(drawn, image.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got := must[api.Hashed](t)(c.Image(t.Context(), drawn))
	if got != (api.Hashed{Image: api.Image{Hash: want.Hashes[0].String(), Quality: want.Quality}, Width: 200, Height: 160}) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if flat := must[api.Hashed](t)(c.Image(t.Context(), pngOf(t, stdimage.NewGray(stdimage.Rect(0, 0, 60, 60))))); !flat.Flat || flat.Quality != 0 {
		t.Errorf("flat: %+v", flat)
	}
}

// What is not a picture, or a larger one than allowed, is refused by what it is.
func TestImageIsRefused(t *testing.T) {
	f := start(t, pictured)
	small := string(pngOf(t, pictures.Draw(1, 64, 64)))
	for _, c := range []struct {
		what, body, contentType string
		status                  int
		says                    string
	}{
		{"a picture", small, "image/png", 200, `"hash":"`},
		{"of any type", small, "application/octet-stream", 200, `"hash":"`},
		{"a text", "no picture", "image/png", 422, "not a supported picture"},
		{"an AVIF", "\x00\x00\x00\x20ftypavif....", "image/avif", 422, "unsupported format: AVIF"},
		{"one that is cut short", small[:100], "image/png", 422, "is not a readable picture"},
		{"too many pixels", string(pngOf(t, stdimage.NewGray(stdimage.Rect(0, 0, 400, 251)))), "image/png", 422, "400 x 251 pixels (want at most 100000 in all)"},
		{"too many bytes", strings.Repeat("x", 300_001), "image/png", 413, "too large (want at most 300000 bytes)"},
		{"as many as allowed", small + strings.Repeat("x", 300_000-len(small)), "image/png", 200, `"hash":"`},
		{"a JSON", small, "application/json", 415, "want image/... or application/octet-stream"},
		{"a form", small, "application/x-www-form-urlencoded", 415, "want image/... or application/octet-stream"},
		{"nothing", "", "image/png", 400, "body"},
	} {
		r := f.do(server.Submit, http.MethodPost, "/v1/images", c.body, "Content-Type", c.contentType)
		if r.status != c.status || !strings.Contains(r.body, c.says) {
			t.Errorf("%s: %d %.300s, want %d and %q", c.what, r.status, r.body, c.status, c.says)
		}
	}
	for n, status := range map[int]int{300_000: 422, 300_001: 413} { // the server cannot know their length in advance
		request := f.request(http.MethodPost, "/v1/images", f.tokens["news submit"], strings.Repeat("x", n), "Content-Type", "image/png")
		request.ContentLength = -1
		if r := f.send(request); r.status != status {
			t.Errorf("%d bytes in pieces: %d %s, want %d", n, r.status, r.body, status)
		}
	}
	if r := start(t).do(server.Submit, http.MethodPost, "/v1/images", small, "Content-Type", "image/png"); r.status != 404 || !strings.Contains(r.body, "serve --images") {
		t.Errorf("a server without: %d %s", r.status, r.body)
	}
}

// The walk of an article with pictures: what they confirm, contradict, and are alike in.
func TestArticleWithImages(t *testing.T) {
	f := start(t, pictured)
	c := f.client("news", server.Admin)
	var images []api.Image
	for n := range uint64(5) {
		images = append(images, must[api.Hashed](t)(c.Image(t.Context(), pngOf(t, pictures.Draw(n, 240, 180)))).Image)
	}
	again := must[api.Hashed](t)(c.Image(t.Context(), jpegOf(t, pictures.Draw(0, 240, 180), 60))).Image // as another site has it
	if again == images[0] {
		t.Fatal("the JPEG has the hash of the PNG: that shows nothing")
	}
	submit := func(nid, title, content string, images ...api.Image) api.Answer {
		t.Helper()
		return must[api.Answer](t)(c.Submit(t.Context(), api.Submission{Article: api.Article{NID: nid, Title: title, Content: content, Extras: api.Extras{Images: images}}}, ""))
	}
	a := submit("a", "", story(1), images[0], images[1])
	if x := submit("same text, other pictures", "", story(1), images[2], images[3]); x.VariantOf != "a" || x.Conflicts[0] != (neardup.Conflict{Kind: "picture", A: images[2].Hash, B: images[0].Hash}) {
		t.Errorf("same text, other pictures: %+v", x)
	}
	if x := submit("other text, same pictures", "", story(2), images[0], images[1]); x.Decision.Decision != neardup.New || x.VariantOf != "" {
		t.Errorf("other text, same pictures: %+v", x)
	}
	submit("b", "A title", "", images[4], images[0])
	x := submit("text under a title", "A title", story(3), again)
	if x.Leader != "b" || x.Stage != docid.StageTitle || len(x.SameImages) != 1 || x.SameImages[0].Hash != again.Hash || x.SameImages[0].Other != images[0].Hash ||
		x.SameImages[0].Same != 1 || x.SameImages[0].Of != 2 || x.SameImages[0].Distance == 0 {
		t.Errorf("text under a title: %+v", x)
	}
	if x := submit("pictures only", "", "", images[1], images[0]); x.Decision.Decision != neardup.New || x.SameImages[0].DocID != a.DocID || x.SameImages[0].Same != 2 {
		t.Errorf("pictures only: %+v", x)
	}
	if m := must[api.MemberAnswer](t)(c.Article(t.Context(), "a")); len(m.Member.Images) != 2 || m.Member.Images[1] != images[1] {
		t.Errorf("member %+v", m)
	}
	if g := must[api.Group](t)(c.DocID(t.Context(), a.DocID, 0, 10)); g.Kept == nil || len(g.Kept.Images) != 2 {
		t.Errorf("kept %+v", g.Kept)
	}
	p := api.Pair{A: api.Article{Extras: api.Extras{Images: images[:2]}}, B: api.Article{Extras: api.Extras{Images: []api.Image{again}}}}
	if cmp := must[api.Comparison](t)(c.Compare(t.Context(), p)); cmp.Images == nil || cmp.Images.Same != 1 || cmp.Images.Of != 2 {
		t.Errorf("comparison %+v", cmp.Images)
	}
}

// Invalid images are rejected with their location, and so are images for an index without pictures.
func TestImagesAreRefused(t *testing.T) {
	f := start(t, pictured)
	hash := strings.Repeat("0f", 32)
	for _, c := range []struct{ body, says string }{
		{`{"content":"x","images":[{"hash":"` + hash + `","quality":90},{"hash":"0f"}]}`, `"location":"body.images[1].hash"`},
		{`{"content":"x","images":[{"hash":"` + hash + `","quality":101}]}`, `"location":"body.images[0].quality"`},
		{`{"content":"x","images":[{"hash":"` + hash + `"}]}`, `"is not 0 to 100","location":"body.images[0].quality"`},
		{`{"content":"x","images":[{"hash":"` + hash + `","quality":null}]}`, `"is not 0 to 100","location":"body.images[0].quality"`},
		{`{"content":"x","images":[{"hash":"` + hash + `","quality":1.5}]}`, `"is not a whole number of 64 bits","location":"body.images[0].quality"`},
		{`{"content":"x","images":[{"hash":"` + hash + `","file":"x"}]}`, `"location":"body.images[0].file"`},
		{`{"content":"x","images":[` + strings.Repeat(`{"hash":"`+hash+`","quality":9},`, 50) + `{"hash":"` + hash + `","quality":9}]}`, `has more than 50 pictures`},
	} {
		if r := f.do(server.Submit, http.MethodPost, "/v1/articles", c.body); r.status != 422 || !strings.Contains(r.body, c.says) {
			t.Errorf("%.80s: %d %s, want %s", c.body, r.status, r.body, c.says)
		}
	}
	many := `{"title":"x","images":[` + strings.Repeat(`{"hash":"`+hash+`","quality":9},`, 50) + `{"hash":"` + hash + `","quality":9}]}`
	for path, body := range map[string]string{"/v1/check": many, "/v1/compare": `{"a":{},"b":` + many + `}`} { // else compared each with each
		if r := f.do(server.Read, http.MethodPost, path, body); r.status != 422 || !strings.Contains(r.body, `images"`) || !strings.Contains(r.body, "has more than 50 pictures") {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	body := `{"content":"x","images":[{"hash":"` + hash + `","quality":90}]}`
	if r := start(t).do(server.Submit, http.MethodPost, "/v1/articles", body); r.status != 422 || !strings.Contains(r.body, "accepts no pictures") {
		t.Errorf("an index without: %d %s", r.status, r.body)
	}
}

// The description names the fields of pictures.
func TestImagesAreDescribed(t *testing.T) {
	b, err := json.Marshal(start(t, pictured).server.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"Submission/properties/images", "Image/properties/hash", "Image/properties/quality", "Hashed/properties/flat", "Hashed/properties/width",
		"Answer/properties/sameImages", "ImagesInCommon/properties/of", "Comparison/properties/images",
	} {
		if resolve(doc, "#/components/schemas/"+path) == nil {
			t.Errorf("%s is not described", path)
		}
	}
	post, _ := json.Marshal(doc["paths"].(map[string]any)["/v1/images"])
	if !strings.Contains(string(post), `"application/octet-stream"`) {
		t.Errorf("the body of /v1/images: %s", post)
	}
}

// A text on which auto is unsure is new by itself, and a duplicate by its pictures. A different text stays different.
func TestImagesConfirmATextThatIsUnsure(t *testing.T) {
	const fire = "A warehouse in the harbour of Bremen burned down last night after an explosion. The fire brigade fought the flames for six hours, and nobody was hurt, a spokesman said on Tuesday morning."
	m, err := methods.New("")
	if err != nil {
		t.Fatal(err)
	}
	clean := text.Default().Clean
	unsure := func(content string) bool {
		match := m.Compare(m.Prepare(clean(content)), m.Prepare(clean(fire)))
		return match.Unsure && !match.Overlap
	}
	tried := []string{
		strings.Replace(strings.Replace(fire, "six ", "", 1), "a spokesman", "police", 1),
		strings.Replace(fire, "for six hours", "all night", 1), strings.Replace(fire, "after an explosion", "after a blast", 1),
		strings.Replace(fire, "fought the flames", "battled the blaze", 1), strings.Replace(fire, "nobody was hurt", "there were no casualties", 1),
		strings.Replace(fire, "a spokesman said", "officials told us", 1), strings.Replace(fire, "last night", "in the early hours", 1),
	}
	i := slices.IndexFunc(tried, unsure)
	if i < 0 {
		t.Fatal("auto is sure of all: find a text of which it is not")
	}
	other := strings.Replace(fire, "six hours, and nobody was hurt", "nine hours, and two people were hurt", 1)
	f := start(t, pictured)
	c := f.client("news", server.Submit)
	images := []api.Image{{Hash: strings.Repeat("0f", 32), Quality: 100}}
	submit := func(nid, content string, images []api.Image) api.Answer {
		t.Helper()
		return must[api.Answer](t)(c.Submit(t.Context(), api.Submission{Article: api.Article{NID: nid, Content: content, Extras: api.Extras{Images: images}}}, ""))
	}
	submit("fire", fire, images)
	if x := submit("other facts", other, images); x.Decision.Decision != neardup.New || x.VariantOf != "fire" || x.SameImages != nil {
		t.Errorf("other facts under the same picture: %+v", x)
	}
	if x := submit("confirmed", tried[i], images); x.Leader != "fire" || len(x.SameImages) != 1 || !strings.HasSuffix(x.Basis, ", confirmed by pictures") || x.Similarity >= .7 || x.Similarity < .3 {
		t.Errorf("unsure, with the picture: %+v", x)
	}
	if x := submit("unconfirmed", tried[i], nil); x.Decision.Decision != neardup.New || x.VariantOf != "fire" {
		t.Errorf("unsure, without: %+v", x)
	}
}
