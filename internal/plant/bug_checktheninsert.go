//go:build plant_checktheninsert

package plant

// Bug is the bug that was built in.
const Bug = CheckThenInsert
