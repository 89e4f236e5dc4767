package docid

// HotName is hotName, for tests outside.
const HotName = hotName

// NewDocIDs is newDocIDs, for tests outside.
var NewDocIDs = newDocIDs
