package ngram_test

import (
	"fmt"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/ngram"
)

func ExampleNew() {
	m, err := ngram.New(ngram.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	match := m.Compare(m.Prepare("明天上午九点在三楼开会"), m.Prepare("明天上午十点在三楼开会"))
	fmt.Printf("%.4f %d %v, %s\n", match.Similarity, match.Distance, match.Near, match.Basis)
	// Output: 0.9091 1 true, edit similarity of runes
}

func ExampleNewJaccard() {
	m, err := ngram.NewJaccard(ngram.Config{Shingle: feature.Shingle{Unit: feature.Words, K: 1}, Threshold: .5})
	if err != nil {
		fmt.Println(err)
		return
	}
	match := m.Compare(m.Prepare("the quick brown fox"), m.Prepare("the quick red fox"))
	fmt.Println(match.Similarity, match.Near)
	fmt.Println(m.Spec())
	// Output:
	// 0.6 true
	// jaccard/2 prepare=asis similarity=jaccard threshold=0.5 shingle=words:1 keys=exact
}

func ExampleVariant() {
	fmt.Println(ngram.Variant("query processing, part I", "query processing, part II"))
	// Output: true
}

func ExampleAlnum() {
	fmt.Println(ngram.Alnum("限时-特价: 9.9 元!"))
	// Output: 限时特价99元
}
