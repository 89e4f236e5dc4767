package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// unwanted reports whether an element is not part of an article, judging by its kind, its role, or a word in its classes or
// id.
func unwanted(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside, atom.Form, atom.Button, atom.Fieldset, atom.Figcaption, atom.Dialog, atom.Menu:
		return true
	case atom.Article, atom.Main, atom.Body, atom.Blockquote, atom.P:
		return false // their classes describe the topic of the article
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "role":
			if unwantedRoles[a.Val] {
				return true
			}
		case "class", "id":
			for name := range strings.FieldsSeq(a.Val) {
				if isUnwantedName(name) {
					return true
				}
			}
		}
	}
	return false
}

// isUnwantedName reports whether the words of a class are unwanted. Words are split at other characters or in camelCase:
// relatedArticles, post__share-buttons. A name such as content-with-sidebar only describes the surroundings, and a longer
// name comes from a headline.
func isUnwantedName(name string) bool {
	const long = 4 // in words
	start, words, found := -1, 0, false
	for i := 0; i <= len(name); i++ {
		letter := i < len(name) && isASCIILetter(name[i])
		hump := letter && start >= 0 && name[i] < 'a' && name[i-1] >= 'a'
		if start >= 0 && (!letter || hump) {
			switch word := strings.ToLower(name[start:i]); {
			case circumstances[word]:
				return false
			case unwantedWords[word]:
				found = true
			}
			start = -1
			words++
		}
		if letter && start < 0 {
			start = i
		}
	}
	return found && words < long
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

var (
	unwantedRoles = set("navigation complementary banner contentinfo search dialog alert menu")
	circumstances = set("with has no not without is one two")
	unwantedWords = set(`ad ads advert advertisement adverts advertorial sponsor sponsored sponsors promo promotion outbrain taboola
		comment comments commentlist disqus respond replies
		related recommended recommendations recommend more trending popular mostread readmore
		share sharing shares social socials addthis sharethis
		sidebar sidebars nav navbar navigation menu breadcrumb breadcrumbs crumbs footer masthead toolbar pagination pager paging
		newsletter subscribe subscription signup login register
		cookie cookies consent gdpr popup modal overlay
		byline author authors bio dateline timestamp tags tag taglist keywords
		widget widgets caption captions credit credits rating ratings vote
		skip print noprint copyright disclaimer`)
)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
