package html_test

import (
	"strings"
	"testing"

	"github.com/neardup/neardup/text/html"
)

// What belongs to an article and what does not, by the ways in which pages are made.
func TestMainText(t *testing.T) {
	const (
		menu  = `<a href=/>Start</a> <a href=/n>News</a> <a href=/s>Sport and weather</a> <a href=/c>Contact us</a>`
		one   = "The harbour of the old town was built four hundred years ago by people who knew the sea, and it was repaired after every storm."
		two   = "In the afternoon the market on the quay sells what the boats bring home, and visitors come down to look and to taste."
		three = "Nobody remembers who planted the fig tree behind the customs house, but everybody has climbed it at least once."
	)
	for _, c := range []struct{ name, page, without string }{
		{"paragraphs", "<div>" + menu + "</div><div><p>" + one + "<p>" + two + "<p>" + three + "</div><div>" + menu + "</div>", "Sport"},
		{"line breaks", "<div>" + menu + "</div><div>" + one + "<br><br>" + two + "<br><br>" + three + "</div>", "Sport"},
		{"a page laid out by tables", "<table><tr><td>" + menu + "</td><td><table><tr><td>" + one + "<p>" + two + "</td></tr><tr><td>" + three +
			"</td></tr></table></td></tr></table>", "Sport"},
		{"a table of data", "<div>" + menu + "</div><div><p>" + one + "<p>" + two + "<table><tr><td>1<td>Fig tree<td>1821<tr><td>2<td>Quay<td>1640</table><p>" +
			three + "</div>", "Sport"},
		{"sections", "<div>" + menu + "</div><div><section><h2>One</h2><p>" + one + "</p></section><section><h2>Two</h2><p>" + two +
			"</p></section><section><h2>Three</h2><p>" + three + "</p></section></div>", "Sport"},
		{"comments", "<div><p>" + one + "<p>" + two + "<p>" + three + "</div><div id=comments><p>Nice. " + strings.Repeat("I was there too. ", 18) + "</div>", "Nice"},
		{"names inside the article", "<div><p>" + one + "<div class=shareButtons>Share this with your friends</div><p>" + two + "<p>" + three + "</div>", "friends"},
		{"a name that is most of the page", "<div class=sidebar-left><p>" + one + "<p>" + two + "<p>" + three + "</div>", "Sport"},
		{"a name of the surroundings", "<div class=content-with-sidebar><p>" + one + "<p>" + two + "<p>" + three + "</div><div class=sidebar>" + menu + "</div>", "Sport"},
		{"hidden by style", "<div><p>" + one + "<p>" + two + "<p style='display: none'>Only for readers of robots<p>" + three + "</div>", "robots"},
		{"other articles", "<article><p>" + one + "<p>" + two + "<p>" + three + "<article><h3>Other news</h3><p>" + one[:60] + "</article></article>", "Other"},
		{"the title", "<title>The harbour and its tree - Daily</title><div><h1>The harbour and its tree</h1><p>" + one + "<p>" + two + "<p>" + three + "</div>", "and its tree"},
	} {
		page, err := html.Extract([]byte("<!DOCTYPE html>"+c.page), "", "")
		if err != nil || page.Fallback {
			t.Errorf("%s: %+v, %v", c.name, page, err)
		}
		for _, want := range []string{one, two, three} {
			if !strings.Contains(page.Text, want) {
				t.Errorf("%s: %.30q is missing in %q", c.name, want, page.Text)
			}
		}
		if strings.Contains(page.Text, c.without) {
			t.Errorf("%s: %q in %q", c.name, c.without, page.Text)
		}
		if c.name == "a table of data" && !strings.Contains(page.Text, "\n1 Fig tree 1821\n") {
			t.Errorf("%s: no row in %q", c.name, page.Text)
		}
	}
}
