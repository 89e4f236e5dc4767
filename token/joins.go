package token

// joiningWords stand between two that are alike in what is said: exchanged, they
// say the same.
const joiningWords = `and or with versus vs v against meets plus between as well 和 与 跟 同 及 或 以及 对 对战 对阵 迎战 大战 加 点`

var joiningTable = wordSet(joiningWords)

// Joins reports whether what stands before the word and behind it can be exchanged.
func Joins(t *Token) bool { return joiningTable().has(t.Text) }
