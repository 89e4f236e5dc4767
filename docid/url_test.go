package docid_test

import (
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
)

func TestNormalizeURL(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"http://Example.ORG", "https://example.org"},
		{"https://example.org/", "https://example.org"},
		{"http://example.org:80/a/", "https://example.org/a"},
		{"https://example.org.:443/a", "https://example.org/a"},
		{"http://example.org:8080/a", "https://example.org:8080/a"},
		{"http://user:secret@example.org/a", "https://example.org/a"},
		{"http://example.org/a/./b/../c", "https://example.org/a/c"},
		{"http://example.org/%7euser", "https://example.org/~user"},
		{"http://example.org/a%2fb", "https://example.org/a%2fb"},
		{"http://example.org/A?b=2&a=1", "https://example.org/A?a=1&b=2"},
		{"http://example.org/a?x=2&x=1", "https://example.org/a?x=2&x=1"},
		{"http://example.org/a?utm_source=f&id=3&fbclid=z", "https://example.org/a?id=3"},
		{"http://example.org/a#top", "https://example.org/a"},
		{"http://example.org/#!/post/3", "https://example.org#!/post/3"},
		{"http://[::1]:80/a", "https://[::1]/a"},
		{"  http://example.org/a  ", "https://example.org/a"},
		{"ftp://example.org/a", ""},
		{"example.org/a", ""},
		{"mailto:a@example.org", ""},
		{"javascript:alert(1)", ""},
		{"http://", ""},
		{"", ""},
	} {
		if got := docid.NormalizeURL(c.in); got != c.want {
			t.Errorf("NormalizeURL(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzNormalizeURL(f *testing.F) {
	for _, s := range []string{"http://a.b/c?d=%zz#!e", "https://[::1]:443//x%2f/../?&a&a=1", "http://a%25b/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := docid.NormalizeURL(s)
		if once != "" && !strings.HasPrefix(once, "https://") {
			t.Errorf("NormalizeURL(%q) = %q", s, once)
		}
		if twice := docid.NormalizeURL(once); twice != once {
			t.Errorf("NormalizeURL(%q) = %q, then %q", s, once, twice)
		}
	})
}
