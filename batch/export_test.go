package batch

// JoinFrom sets how many leaders of a bucket are compared one by one, and
// returns what sets it back.
func JoinFrom(n uint32) (back func()) {
	before := joinFrom
	joinFrom = n
	return func() { joinFrom = before }
}
