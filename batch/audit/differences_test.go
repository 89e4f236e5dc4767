package audit

import "testing"

func TestRecurringTexts(t *testing.T) {
	if n := (Recurring{Difference: " / documentation", Removed: 3, Kept: 2}).Texts(); n != 5 {
		t.Errorf("%d texts", n)
	}
	d := differences{counts: map[string]*Recurring{
		"a / b": {Difference: "a / b", Kept: 2}, "b / c": {Difference: "b / c", Removed: 1, Kept: 2},
		"c / d": {Difference: "c / d", Removed: 2}, "d / e": {Difference: "d / e", Removed: 1},
	}}
	if got := d.list(2); len(got) != 2 || got[0].Difference != "b / c" || got[1].Difference != "a / b" {
		t.Errorf("%+v", got)
	}
}
