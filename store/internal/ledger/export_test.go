package ledger

// SetMaxLeaders bounds the docIds of an index; the function returned undoes it.
func SetMaxLeaders(n int) func() {
	old := maxLeaders
	maxLeaders = n
	return func() { maxLeaders = old }
}
