package feature_test

import (
	"fmt"

	"github.com/neardup/neardup/feature"
)

func ExampleParseShingle() {
	s, err := feature.ParseShingle("words:3")
	fmt.Println(s, s.K, err)
	_, err = feature.ParseShingle("lines:3")
	fmt.Println(err)
	// Output:
	// words:3 3 <nil>
	// shingle "lines:3": invalid unit (want auto, words, runes or scripts)
}

func ExampleShingle_Append() {
	s := feature.Shingle{Unit: feature.Auto, K: 2}
	fmt.Println(len(s.Append(nil, "hello wide world", 0)), "shingles: hello wide, wide world")
	fmt.Println(len(s.Append(nil, "go 语言", 0)), "shingles: go 语, 语言")
	fmt.Println(len(s.Append(nil, "hello", 0)), "shingle: hello")
	fmt.Println(len(s.Append(nil, "?!", 0)), "shingles")
	// Output:
	// 2 shingles: hello wide, wide world
	// 2 shingles: go 语, 语言
	// 1 shingle: hello
	// 0 shingles
}

func ExampleJaccardAtLeast() {
	a := feature.Set([]uint64{4, 2, 3, 1, 1})
	b := feature.Set([]uint64{2, 3, 4, 5})
	fmt.Println(feature.JaccardAtLeast(a, b, 0.6))
	_, near := feature.JaccardAtLeast(a, b, 0.7)
	fmt.Println(near)
	// Output:
	// 3 true
	// false
}
