package corpus

import "testing"

// ISO-2022-JP declares itself by its escapes; inside them a comma or a quote is
// half of a character.
func TestISO2022JP(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, content, want string }{
		{"a.log", "\x1b$BF|K\x5c8l$NJ8=q$G$9!#\x1b(B\x0aplain ascii\x0a\x1b$BFsHVL\x5c$NJ8!\x22%F%9%H!#\x1b(B\x0a", "日本語の文書です。|plain ascii|二番目の文、テスト。"},
		{"a.csv", "id,text\x0a1,\x22\x1b$BF|K\x5c8l$NJ8!\x22%F%9%H\x1b(B\x22\x0a2,\x1b$BFs$DL\x5c$NJ8>O$G$9\x1b(B\x0a", "日本語の文、テスト|二つ目の文章です"},
		{"b.log", "a\x1b$ b\nc\n", "a\x1b$ b|c"},
	} {
		if got := read(t, Options{}, put(t, dir, c.name, c.content)); got.texts() != c.want || len(got.rejects) > 0 {
			t.Errorf("%s: %q, rejects %q", c.name, got.texts(), got.rejects)
		}
	}
	files := read(t, Options{Format: Files}, put(t, dir, "c.txt", "\x1b$BF|K\x5c8l$NJ8=q$G$9!#\x1b(B\x0aplain ascii\x0a\x1b$BFsHVL\x5c$NJ8!\x22%F%9%H!#\x1b(B\x0a"))
	if want := "日本語の文書です。\nplain ascii\n二番目の文、テスト。\n"; files.texts() != want {
		t.Errorf("a file: %q", files.texts())
	}
}
