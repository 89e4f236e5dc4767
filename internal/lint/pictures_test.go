package lint

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// picturesHomes are the files outside package image whose code says what a picture is. Elsewhere an article carries
// docid.Extras, a decision docid.Advice, and a record contents that are converted.
var picturesHomes = strings.Fields(`
	docid/cascade.go docid/detector.go docid/manage.go docid/pictures.go
	corpus/decoder.go corpus/options.go corpus/picture.go corpus/stream.go
	methods/methods.go methods/settings.go report/members.go
	server/api/calls.go server/api/types.go server/pictures.go server/routes.go server/server.go
	store/mysql/article.go store/mysql/schema.go
	cmd/neardup/commands.go cmd/neardup/compare.go cmd/neardup/fingerprint.go cmd/neardup/flags.go
	cmd/neardup/images.go cmd/neardup/index.go cmd/neardup/serve.go`)

// imageCount is a field of articles that nothing reads; "shows only images" is a policy of pages.
var (
	ofPictures  = regexp.MustCompile(`(?i)pictur|image`)
	otherImages = regexp.MustCompile(`(?i)image_?count|img-src`)
)

func TestFilesThatKnowPictures(t *testing.T) {
	known := map[string]bool{}
	for _, path := range picturesHomes {
		known[path] = false
	}
	for _, s := range sources(t) {
		if s.isTest() || isSupport(s.path) || strings.HasPrefix(s.path, "image/") {
			continue
		}
		for _, text := range words(s.file) {
			if !ofPictures.MatchString(otherImages.ReplaceAllString(text, "")) {
				continue
			}
			if _, ok := known[s.path]; !ok {
				t.Errorf("%s: knows pictures (%.60s)", s.path, text)
			}
			known[s.path] = true
		}
	}
	for path, used := range known {
		if !used {
			t.Errorf("%s is listed and does not know pictures", path)
		}
	}
	if len(known) > 25 {
		t.Errorf("%d files know pictures (want at most 25)", len(known))
	}
}

// words returns the names and strings of a file.
func words(file *ast.File) (all []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			all = append(all, n.Name)
		case *ast.BasicLit:
			all = append(all, n.Value)
		}
		return true
	})
	return all
}
