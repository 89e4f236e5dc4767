package segment

import (
	"fmt"
	"strings"
	"testing"
)

func TestSmoke(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(strings.Join(g.Cut(nil, "海量网络文本去重系统实验测试，这是一段测试文本的内容。小明硕士毕业于中国科学院计算所，后在日本京都大学深造", HMM), "/"))
	fmt.Println(strings.Join(g.Cut(nil, "海量网络文本去重系统实验测试，hello wor3.5% x", Dictionary), "/"))
	fmt.Println(len(g.trie.slots), len(g.trie.costs), g.trie.longest)
}
func BenchmarkNew(b *testing.B) {
	for range b.N {
		New()
	}
}
