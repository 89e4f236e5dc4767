package load

import (
	"fmt"
	"math/rand/v2"
	"net/http"
)

// Flood is a kind of requests that one client may send without end.
type Flood struct {
	Name    string
	Request func(n int) Request
}

// Floods are the kinds: each article is new, and each is meant to be dear for
// a reason of its own.
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
	return []Flood{
		{"long, one template", Submit(a.Crowd)},
		{"short English", Submit(func(n int) Article { return name(n, Article{Content: draw(n, 18)}) })},
		{"short Chinese", Submit(func(n int) Article { return name(n, Article{Content: han(n, 60)}) })},
		{"one title", Submit(func(n int) Article { return name(n, Article{Title: "Weather", Content: draw(n, 400)}) })},
		{"one url", Submit(func(n int) Article { return name(n, Article{URL: "https://flood.example/", Content: draw(n, 400)}) })},
		{"churn", a.churn},
	}
}

// churn submits an article and then changes its heat and text, nine times.
func (a *Articles) churn(n int) Request {
	first := n - n%10
	article := a.Make(1_000_000_000 + 3*first)
	article.NID = fmt.Sprintf("churn%d", first)
	if n == first {
		return Request{http.MethodPost, "/v1/articles", article}
	}
	return Request{http.MethodPatch, "/v1/articles/" + article.NID, map[string]any{"heat": n, "content": a.Make(1_000_000_000 + 3*n).Content}}
}
