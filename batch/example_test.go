package batch_test

import (
	"context"
	"fmt"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

func articles() batch.Source {
	return batch.Documents([]neardup.Document{
		{ID: "a", Text: "海量网络文本去重系统实验测试，这是一段测试文本的内容。"},
		{ID: "b", Text: "An apple pie with cinnamon, as grandmother made it."},
		{ID: "c", Text: "海量网络文本去重系统实验检测，这是一段相似的测试文本的内容。"},
	})
}

func ExampleDedup() {
	m, err := methods.New(methods.Config{Name: "auto"})
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := batch.Config{Method: m, Clean: text.Default()}
	sum, err := batch.Dedup(context.Background(), articles(), cfg, func(o batch.Outcome) error {
		fmt.Printf("%s %s %s %.3f\n", o.ID, o.Decision.Decision, o.Leader, o.Similarity)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Kept, "kept")
	// Output:
	// a new  0.000
	// b new  0.000
	// c duplicate a 0.833
	// 2 kept
}

func ExamplePairs() {
	m, err := methods.New(methods.Config{Name: "ngram", Threshold: .7})
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := batch.Config{Method: m, Clean: text.Default()}
	_, err = batch.Pairs(context.Background(), articles(), cfg, func(p batch.Pair) error {
		fmt.Printf("%s %s %.3f %s\n", p.A, p.B, p.Similarity, p.Basis)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// a c 0.833 edit similarity of runes
}
