package eval_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/neardup/neardup/eval"
)

func ExamplePairs() {
	dir, err := os.MkdirTemp("", "eval")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	truth, reported := filepath.Join(dir, "truth.tsv"), filepath.Join(dir, "pairs.tsv")
	for path, content := range map[string]string{
		truth:    "id_a\tid_b\tjaccard\na\tb\t0.95\na\tc\t0.85\nb\tc\t0.6\n",
		reported: "id_a\tid_b\tsimilarity\nb\ta\t0.95\nc\tb\t0.81\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	r, err := eval.Pairs(truth, reported, eval.Options{At: .8})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := r.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// threshold    0.8
	// truth        3 pairs, complete from 0.6 on
	// reported     2 pairs
	// recall       0.5000 (0.0945..0.9055)  1 of 2
	// precision    0.5000 (0.0945..0.9055)  1 of 2
	//              false: 1 below the threshold, 0 not in the truth
	// agreement    0.5000 (0.0945..0.9055)  1 of 2 to 3 decimals, largest difference 0.2100
	//
	// similarity      pairs    found  recall (95 % interval)   recall from here on
	// 0.6 .. 0.7          1        1  1.0000 (0.2065..1.0000)  (starts below the threshold)
	// 0.7 .. 0.8          0        0  -                        (starts below the threshold)
	// 0.8 .. 0.9          1        0  0.0000 (0.0000..0.7935)  0.5000 (0.0945..0.9055)
	// 0.9 .. 1            1        1  1.0000 (0.2065..1.0000)  1.0000 (0.2065..1.0000)
	// 1                   0        0  -                        -
	//
	// worst misses
	// truth    reported
	// 0.8500   -        a  c
	//
	// worst false pairs
	// truth    reported
	// 0.6000   0.8100   b  c
}
