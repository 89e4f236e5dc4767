package load

import (
	"fmt"
	"math/rand/v2"
	"net/http"
)

// Flood is a kind of request that one client may send without end.
type Flood struct {
	Name    string
	Rate    float64 // requests per second
	Request func(n int) Request
	Token   bool // the client needs a role, so it sends the token
}

// Floods returns the kinds of floods. Each article is new, and each kind is expensive for a different reason.
func (a *Articles) Floods() []Flood {
	common := a.vocabulary[:100]
	draw := func(n, words int) string {
		r := rand.New(rand.NewPCG(uint64(n), 19))
		var text []byte
		for range words {
			text = append(append(text, common[min(r.IntN(100), r.IntN(100))]...), ' ')
		}
		return string(text)
	}
	han := func(n, runes int) string {
		r := rand.New(rand.NewPCG(uint64(n), 23))
		text := make([]rune, runes)
		for i := range text {
			text[i] = rune(0x4e00 + min(r.IntN(300), r.IntN(300)))
		}
		return string(text)
	}
	name := func(n int, article Article) Article {
		article.NID = fmt.Sprintf("flood%d", n)
		return article
	}
	large := func(n, bytes int) string {
		r := rand.New(rand.NewPCG(uint64(n), 29))
		text := make([]byte, 0, bytes)
		for len(text) < bytes-20 {
			text = append(append(text, a.vocabulary[r.IntN(len(a.vocabulary))]...), ' ')
		}
		return string(text)
	}
	const small, most = 200_000, 1_000_000
	copied := large(0, most)
	return []Flood{
		{"long, one template", 50, Submit(a.Crowd), false},
		{"short English", 50, Submit(func(n int) Article { return name(n, Article{Content: draw(n, 18)}) }), false},
		{"short Chinese", 50, Submit(func(n int) Article { return name(n, Article{Content: han(n, 60)}) }), false},
		{"one title", 50, Submit(func(n int) Article { return name(n, Article{Title: "Weather", Content: draw(n, 400)}) }), false},
		{"one url", 50, Submit(func(n int) Article { return name(n, Article{URL: "https://flood.example/", Content: draw(n, 400)}) }), false},
		{"churn", 50, a.churn, false},
		{"rulings of one pair", 100, func(n int) Request {
			link := []string{"must", "cannot"}[n%2]
			return Request{http.MethodPost, "/v1/rulings", map[string]string{"a": "flooded1", "b": "flooded2", "link": link}}
		}, true},
		{"articles of .2 MB", 45, Submit(func(n int) Article { return name(n, Article{Content: large(n, small)}) }), false},
		{"articles of 1 MB", 20, Submit(func(n int) Article { return name(n, Article{Content: large(n, most)}) }), false},
		{"near articles of 1 MB", 20, Submit(func(n int) Article {
			word := a.vocabulary[n%len(a.vocabulary)]
			return name(n, Article{Content: copied[:most/2] + word + copied[most/2:most-100]})
		}), false},
		{"checks of 1 MB", 20, func(n int) Request {
			return Request{http.MethodPost, "/v1/check", Article{Content: large(n, most)}}
		}, false},
		{"comparisons of .2 MB", 45, compared(large, small), false},
		{"comparisons of 1 MB", 20, compared(large, most), false},
	}
}

// churn returns requests that submit an article and then change its heat and text nine times.
func (a *Articles) churn(n int) Request {
	first := n - n%10
	article := a.Make(1_000_000_000 + 3*first)
	article.NID = fmt.Sprintf("churn%d", first)
	if n == first {
		return Request{http.MethodPost, "/v1/articles", article}
	}
	return Request{http.MethodPatch, "/v1/articles/" + article.NID, map[string]any{"heat": n, "content": a.Make(1_000_000_000 + 3*n).Content}}
}

// compared returns requests that compare texts of a size which differ everywhere.
func compared(text func(n, bytes int) string, bytes int) func(n int) Request {
	return func(n int) Request {
		return Request{http.MethodPost, "/v1/compare", map[string]any{
			"a": map[string]string{"content": text(2*n, bytes)}, "b": map[string]string{"content": text(2*n+1, bytes)},
		}}
	}
}
