package ngram

import "github.com/neardup/neardup"

// Selecting returns a method that after training always uses the keys of pieces.go, as for a corpus in which
// those of plan.go cost too much.
func Selecting(m neardup.Trainable) neardup.Trainable {
	edit, ok := m.(*editMethod)
	if !ok {
		return m
	}
	with := *edit
	with.selecting = true
	return &with
}

// Selects reports whether a trained method has the keys of pieces.go.
func Selects(m neardup.Method) bool {
	edit, ok := m.(*editMethod)
	return ok && edit.corpus != nil
}

// Levels returns the levels of the table of a method, or nil if it is untrained.
func Levels(m neardup.Method) []uint8 {
	if t := m.(Method).rarity(); t != nil {
		return t.levels
	}
	return nil
}
