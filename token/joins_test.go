package token

import "testing"

func TestJoins(t *testing.T) {
	for word, want := range map[string]bool{"and": true, "versus": true, "对阵": true, "战胜": false, "beats": false, "to": false} {
		if got := Joins(&Token{Text: word}); got != want {
			t.Errorf("%s: %v", word, got)
		}
	}
}
