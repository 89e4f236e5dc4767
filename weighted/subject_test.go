package weighted_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/weighted"
)

// Two editions of a long document: what differs in the titles, and comes again
// in the text, tells that they are about something else.
func ExampleMethod_SubjectConflicts() {
	m, err := weighted.New(weighted.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	about := func(city string) *weighted.Subject {
		return m.Subject("Statutes of the city of " + city + ". " + strings.Repeat("The council of "+city+" decides on its taxes and roads. ", 3))
	}
	fmt.Println(m.SubjectConflicts(about("Toledo"), about("Oviedo")), m.SubjectConflicts(about("Toledo"), about("Toledo")))
	// Output: [{name Toledo Oviedo}] []
}

// Each kind that is listed may be named, and no other.
func TestKinds(t *testing.T) {
	kinds := weighted.Kinds()
	if !slices.Contains(kinds, weighted.KindNumber) || len(kinds) != 8 {
		t.Errorf("kinds %q", kinds)
	}
	for _, k := range kinds {
		method(t, weighted.Config{Facts: weighted.Facts(k)})
	}
	if _, err := weighted.New(weighted.Config{Facts: "colour"}); err == nil {
		t.Error("a kind that is none was accepted")
	}
}

// A view says what it keeps: a longer text takes more.
func TestViewBytes(t *testing.T) {
	m := method(t, weighted.Config{})
	short, long := m.View("a few words of a text").Bytes(), m.View(strings.Repeat("some other words of a text ", 100)).Bytes()
	if short < 21 || long < 1000 || long <= short {
		t.Errorf("%d and %d bytes", short, long)
	}
}

// notice is a text of an alphabet of some 130 words, cut in the middle.
const (
	noticeHead = "you may redistribute and change the work in source and binary form provided that each copy keeps this notice and the list of " +
		"those who made it and that the documents which come with a binary copy say the same in a place where whoever gets the copy is likely to find it "
	noticeTail = "the work is given to you in the hope that it will be useful but as it is and no one who made it will answer for any loss that comes " +
		"of its use even if they were told that such a loss might come and even if the loss is one that they could have kept from you at little price"
)

// scattered is the notice with a word behind every seventh of its own.
func scattered(words string) string {
	more, all := strings.Fields(words), strings.Fields(noticeHead+noticeTail)
	for i := range more {
		all = slices.Insert(all, 8*i+7, more[i])
	}
	return strings.Join(all, " ")
}

// What long texts are about, and what only one of them states. Each rule has a
// pair on either side of it.
func TestSubjects(t *testing.T) {
	m := method(t, weighted.Config{})
	notice := noticeHead + noticeTail
	long := strings.Repeat(notice+" ", 5)
	page := strings.Repeat("命令用于重启指定集群中的服务进程并且显示每个节点的状态信息", 8)
	for _, c := range []struct{ a, b, want string }{
		{notice, notice, ""},
		// Titles.
		{"tiup cluster restart tiup cluster restart " + page, "tiup dm restart tiup dm restart " + page, "name"},
		{"性能对比测试报告 v5.4.0 对比 v5.3.0 " + page[:90] + "v5.4.0 和 v5.3.0", "性能对比测试报告 v6.0.0 对比 v5.4.0 " + page[:90] + "v6.0.0 和 v5.4.0", "number"},
		{"概述 aliases docs/stable/overview 又 docs/stable/overview " + page, "概述 aliases docs/v3.0/overview 又 docs/v3.0/overview " + page, ""}, // addresses
		{"浙江省档案条例 浙江省各级机关" + page, "江西省档案条例 江西省各级机关" + page, "name"},
		{"the affero terms, " + long + "affero, and affero again", "the terms, " + long, "name"},
		{"the affero terms, " + long + "affero again", "the terms, " + long, ""}, // twice is chance in a long text
		{"programme terms, " + long + "programme programme", "program terms, " + long, ""},
		// A name in a notice: as often as its length asks for, and not at its ends.
		{noticeHead + "affero affero affero " + noticeTail, notice, "name"},
		{noticeHead + "see www.affero.org or affero.org/terms at affero.org " + noticeTail, notice, ""}, // addresses
		{notice, noticeHead + "service service service " + noticeTail, ""},                              // no name
		{"in affero we trust, " + noticeHead, noticeHead, ""},
		{noticeHead[:99] + " affero " + noticeHead[99:199], noticeHead[:199], "name"}, // once in 50 words
		{notice + " brought by acme", notice + " brought by initrode", ""},            // a credit
		{noticeHead + "brought by initech " + noticeTail, noticeHead + "brought by initrode " + noticeTail, "name"},
		{noticeHead + "brought by initrode " + noticeTail, noticeHead + "brought by initroad " + noticeTail, ""}, // a slip
		// Versions.
		{notice + " under version 2 of the terms", notice + " under version 3 of the terms", "number"},
		{notice + " under version 2 of the terms", notice + " under v2.0 of the terms", ""},
		{notice + " under version 2 of the terms", notice + " under the terms", "number"},
		{notice + " under version 2 of the gplv2", notice + " under the gplv2", ""}, // both state it
		{notice + " 2 of them", notice + " 3 of them", ""},                          // an edition
		// How far it holds.
		{notice + " or any later version", notice + " or any version", "more"},
		{long + " or any later version", long + " or any version", ""}, // an edition
		// A clause more: in the middle; a passage: anywhere; words by words.
		{noticeHead + "military laboratories must obtain written permission beforehand " + noticeTail, notice, "more"},
		{notice + " military laboratories must obtain written permission beforehand", notice, ""}, // a footer
		{notice + " military laboratories must obtain written permission beforehand, chemical factories pay royalties quarterly, banks a monthly fee", notice, "more"},
		{notice + " military laboratories must obtain written permission beforehand, chemical factories pay", notice, "more"},
		{scattered("window letter police school music picture paper story market money monthly fee"), notice, "more"},
		{scattered("window letter police school music picture paper story"), notice, ""},
		// Along the words.
		{noticeHead + "you must keep it " + noticeTail, noticeHead + "you may at any time in any place keep it " + noticeTail, ""}, // another sentence
		{noticeHead + "you may keep it " + noticeTail, noticeHead + "you must at any time in any place keep it " + noticeTail, ""},
		{noticeHead + "you must keep it " + noticeTail, noticeHead + "you may keep it " + noticeTail, "opposite"},
		{noticeHead + "they can't keep it " + noticeTail, noticeHead + "they cannot keep it " + noticeTail, ""},
		{"the library " + strings.ReplaceAll(notice, " it ", " library it "), "the library " + notice, "name"}, // the same word again and again
	} {
		a, b := m.Subject(c.a), m.Subject(c.b)
		forth, back := m.SubjectConflicts(a, b), m.SubjectConflicts(b, a)
		got := ""
		if len(forth) > 0 {
			got = forth[0].Kind
		}
		for i := range back {
			back[i].A, back[i].B = back[i].B, back[i].A
		}
		if got != c.want || !slices.Equal(forth, back) {
			t.Errorf("%.60q and %.60q: %v, back %v, want %q", c.a, c.b, forth, back, c.want)
		}
	}
}

// The subject of a text is read when it is first needed, by whoever needs it.
func TestSubjectsAreReadOnce(t *testing.T) {
	m := method(t, weighted.Config{})
	a, b := m.Subject(noticeHead+"affero affero affero "+noticeTail), m.Subject(noticeHead+noticeTail)
	bytes, done := a.Bytes(), make(chan int)
	for range 4 {
		go func() { done <- len(m.SubjectConflicts(a, b)) }()
	}
	for range 4 {
		if n := <-done; n != 1 {
			t.Errorf("%d conflicts", n)
		}
	}
	if a.Bytes() != bytes {
		t.Errorf("%d bytes became %d", bytes, a.Bytes())
	}
}

// What conflicts is the same both ways, and a text never conflicts with itself.
func FuzzSubjectsAreSymmetric(f *testing.F) {
	f.Add(noticeHead+"version 2 or later "+noticeTail, noticeTail+" v3 "+noticeHead)
	f.Add("library library a b library c", "a v. v2.. b 三 c version 1.0.")
	m := method(f, weighted.Config{})
	f.Fuzz(func(t *testing.T, x, y string) {
		a, b := m.Subject(x), m.Subject(y)
		forth, back := m.SubjectConflicts(a, b), m.SubjectConflicts(b, a)
		for i := range back {
			back[i].A, back[i].B = back[i].B, back[i].A
		}
		if !slices.Equal(forth, back) {
			t.Errorf("%q and %q: %v one way, %v the other", x, y, forth, back)
		}
		if own := m.SubjectConflicts(a, m.Subject(x)); len(own) > 0 {
			t.Errorf("%q conflicts with itself: %v", x, own)
		}
	})
}
