package batch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
)

// filled returns texts of one to three kinds of templates of one to nine slots, whose numbers, codes, times and names have one of several
// values, so that few or most are used twice. Some texts are edited, others have their fillers in another order or lack some.
func filled(seed uint64, n, numbers, kinds int) []neardup.Document {
	rng := rand.New(rand.NewPCG(seed, 11))
	slots := map[string]func() string{
		"N": func() string { return fmt.Sprint(10 + rng.IntN(numbers)) },
		"S": func() string { return fmt.Sprint(rng.IntN(3)) },
		"C": func() string { return fmt.Sprintf("x%dk", rng.IntN(numbers)) },
		"T": func() string { return fmt.Sprintf("%02d:%d:%02d", rng.IntN(4), rng.IntN(12), rng.IntN(4)) },
		"D": func() string { return fmt.Sprintf("%d月%d日", 1+rng.IntN(4), 1+rng.IntN(4)) },
		"A": func() string { return []string{"anna", "hanna", "martinez", "peter", "kowalski"}[rng.IntN(5)] },
		"M": func() string { return []string{"march", "may", "june"}[rng.IntN(3)] },
	}
	templates := []string{
		"dear customer your parcel N was handed to our courier and will be brought before noon",
		"dear customer your order N of N dollars and S cents will be brought to you before noon",
		"尊敬的客户,您尾号N的账户支出N元,余额N元,如有疑问请致电营业部",
		"尊敬的客户,您尾号N的账户于D支出S元,余额N元,如有疑问请致电营业部",
		"room N of house N on floor S in street S is free from noon on for all who come early",
		"2026-S-S T info job N of user C on node C finished in N ms with status S",
		"dear A your code C of S M is valid until T and the courier N will call you before noon",
		"S S S and S S of N come to N in all",
		"ticket C of C is open",
	}
	templates = append(templates, templates...)[seed%uint64(len(templates)):][:kinds]
	var docs []neardup.Document
	for i := range n {
		words := strings.Split(templates[rng.IntN(len(templates))], "")
		for k, w := range words {
			if fill := slots[w]; fill != nil {
				words[k] = fill()
			}
		}
		text := strings.Join(words, "")
		fields := strings.Fields(text)
		k := rng.IntN(len(fields))
		switch rng.IntN(16) {
		case 0:
			text += "!"
		case 1:
			text += " please"
		case 2:
			text = "news: " + text
		case 3: // a word is missing
			text = strings.Join(append(fields[:k:k], fields[k+1:]...), " ")
		case 4: // two have exchanged places
			fields[0], fields[k] = fields[k], fields[0]
			text = strings.Join(fields, " ")
		case 5:
			fields[k] += "e"
			text = strings.Join(fields, " ")
		}
		docs = append(docs, neardup.Document{ID: fmt.Sprint("d", i), Text: text})
	}
	return docs
}

func decide(t *testing.T, m neardup.Method, docs []neardup.Document, memory int64, from uint32) (all []batch.Outcome, sum *batch.Summary) {
	t.Helper()
	defer batch.TemplateFrom(from)()
	sum, err := batch.Dedup(context.Background(), batch.Documents(docs), batch.Config{Method: m, Memory: memory}, func(o batch.Outcome) error {
		all = append(all, o)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, sum
}

// Judging by templates changes nothing: the decisions equal those of comparing a text with each leader, whatever fillers
// they share.
func TestTemplatesChangeNothing(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 80
	}
	for name, config := range map[string]string{"auto": "", "auto, lenient": "threshold=.4", "lossless": "lossless=.95", "contained": "containment=.5"} {
		m, err := methods.New(config)
		if err != nil {
			t.Fatal(err)
		}
		for seed, numbers := range []int{2, 12, 300, 12, 1 << 30, 3} {
			docs := filled(uint64(3*seed), n, numbers, 3)
			want, _ := decide(t, m, docs, 0, 1<<30)
			for _, from := range []uint32{1, 20} {
				for _, memory := range []int64{0, 300_000, 1} { // all templates are noted, some, none
					got, _ := decide(t, m, docs, memory, from)
					if diff := gocmp.Diff(want, got); diff != "" {
						t.Fatalf("%s, %d numbers, from %d leaders in %d bytes (-want +got):\n%s", name, numbers, from, memory, diff)
					}
				}
			}
		}
	}
}

// The same for many texts of one template, whose patterns are many.
func TestPatternsDecide(t *testing.T) {
	n, kinds := 800, 9
	if testing.Short() {
		n, kinds = 500, 4
	}
	m, err := methods.New("")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range kinds {
		docs := filled(uint64(seed), n, 100_000, 1)
		want, _ := decide(t, m, docs, 0, 1<<30)
		got, _ := decide(t, m, docs, 0, 8)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("texts such as %q (-want +got):\n%s", docs[0].Text, diff)
		}
	}
}

// A text is compared with few of a template's leaders, by a decorated method too.
func TestTemplatesAreNotTheSquare(t *testing.T) {
	var docs []neardup.Document
	for i := range 1000 {
		docs = append(docs, neardup.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("Dear customer, your order %d of %d dollars was shipped and comes on Monday.", 1000+i, 100+i%7)})
	}
	for _, cfg := range []string{"", "lossless=.9", "containment=.9", "lossless=.9 containment=.9"} {
		m, err := methods.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		_, few := decide(t, m, docs, 0, 10)
		_, all := decide(t, m, docs, 0, 1<<30)
		if few.Removed != 0 || few.Work.Verified*20 > all.Work.Verified {
			t.Errorf("%s: %d removed, %d pairs are compared, one by one %d", m.Spec(), few.Removed, few.Work.Verified, all.Work.Verified)
		}
	}
}

// A text is the variant of the first leader that agrees in most numbers, not of the first of the template.
func TestTemplatesThatAgreeInMost(t *testing.T) {
	const message = "货物已经由仓库交给承运公司,预计后天上午送达。请安排同事清点。"
	var docs []neardup.Document
	for i := range 60 {
		text := fmt.Sprintf("第%d批%d件%s", 10+i%7, 1000+i, message)
		if i < 20 { // another template under the same keys
			text = strings.Replace(fmt.Sprintf("第%d批%d件%s", 500+i, 300+i, message), "请安排", "请不要安排", 1)
		}
		docs = append(docs, neardup.Document{ID: fmt.Sprint("d", i), Text: text})
	}
	m, err := methods.New("")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := decide(t, m, docs, 0, 1<<30)
	got, _ := decide(t, m, docs, 0, 10)
	if want[40].VariantOf != "d26" || want[41].VariantOf != "d20" {
		t.Fatalf("40 is a variant of %s, 41 of %s; want d26 and d20", want[40].VariantOf, want[41].VariantOf)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("by templates (-want +got):\n%s", diff)
	}
}
