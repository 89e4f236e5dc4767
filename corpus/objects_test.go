package corpus

import (
	"fmt"
	"os"
	"path/filepath"
)

func ExampleAtomicFile_Objects() {
	dir, err := os.MkdirTemp("", "objects-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "words.csv")
	f, err := CreateAtomic(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Abort()
	if err := f.Objects(nil); err != nil {
		fmt.Println(err)
		return
	}
	type word struct {
		Word  string   `json:"word"`
		Count int      `json:"count,omitempty"`
		Share *float64 `json:"share"`
		In    []string `json:"in,omitempty"`
	}
	half := .5
	err = f.WriteJSON(word{"ferry", 2, &half, []string{"a", "b"}})
	fmt.Println(err, f.WriteJSON(&word{Word: "=1"}), f.Commit())
	b, err := os.ReadFile(path)
	fmt.Print(string(b), err)
	// Output:
	// <nil> <nil> <nil>
	// word,count,share,in
	// ferry,2,0.5000,"[""a"",""b""]"
	// '=1,,,
	// <nil>
}
