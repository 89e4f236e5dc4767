package docid

// HotName is hotName, for tests outside.
const HotName = hotName

// NewDocIDs is newDocIDs, for tests outside.
var NewDocIDs = newDocIDs

// Content returns a function that gives the text which the stage content compares.
func Content(s Settings) (func(title, text string) string, error) {
	c, _, err := s.build(0, nil)
	return func(title, text string) string { return c.textOf(viewContent, title, text) }, err
}

// OldChange is old.
var OldChange = old
