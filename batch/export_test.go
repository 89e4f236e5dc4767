package batch

// JoinFrom sets how many leaders of a bucket are compared one by one, and
// returns what sets it back.
func JoinFrom(n uint32) (back func()) {
	before := joinFrom
	joinFrom = n
	return func() { joinFrom = before }
}

// TemplateFrom sets how many leaders of a bucket are compared before templates are noted, and
// returns what sets it back.
func TemplateFrom(n uint32) (back func()) {
	before := templateFrom
	templateFrom = n
	return func() { templateFrom = before }
}
