package methods_test

import (
	"fmt"
	"strings"

	"github.com/neardup/neardup/methods"
)

// A word that the built-in dictionary does not have.
func ExampleSplitter() {
	for _, extra := range []string{"", "近似重复检测 100000\n"} {
		words, err := methods.Splitter(strings.NewReader(extra))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(len(words.Append(nil, "近似重复检测")) == 1)
	}
	// Output:
	// false
	// true
}
