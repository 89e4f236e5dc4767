package docid

// HotName is hotName, for tests outside.
const HotName = hotName
