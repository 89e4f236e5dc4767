package methods

import "github.com/neardup/neardup"

// around is a method around another one: what it does not say itself, that one says of
// its own views.
type around struct{ neardup.Overlapping }

// outer is a view around another one.
type outer interface{ inner() neardup.View }

func innerOf(v neardup.View) neardup.View {
	if o, ok := v.(outer); ok {
		return o.inner()
	}
	return v
}

func (a *around) method() neardup.Method { return a.Overlapping }

// within is the method that stands within all others.
func within(m neardup.Method) neardup.Method {
	for {
		a, ok := m.(interface{ method() neardup.Method })
		if !ok {
			return m
		}
		m = a.method()
	}
}

// Conflicts are the method's, where it knows any.
func (a *around) Conflicts(x, y neardup.View) []neardup.Conflict {
	if e, ok := a.Overlapping.(neardup.Explainer); ok {
		return e.Conflicts(innerOf(x), innerOf(y))
	}
	return nil
}

// Measure is the method's; one that does not stop early needs none.
func (a *around) Measure(x, y neardup.View) float64 {
	if m, ok := a.Overlapping.(neardup.Measurer); ok {
		return m.Measure(innerOf(x), innerOf(y))
	}
	return a.Overlapping.Compare(innerOf(x), innerOf(y)).Similarity
}

// Overlaps are the method's.
func (a *around) Overlaps(dst []neardup.Overlap, v neardup.View) []neardup.Overlap {
	return a.Overlapping.Overlaps(dst, innerOf(v))
}

// Route is the method's, or its name.
func (a *around) Route(clean string) string {
	if r, ok := a.Overlapping.(interface{ Route(clean string) string }); ok {
		return r.Route(clean)
	}
	return a.Overlapping.Spec().Method
}
