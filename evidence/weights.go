package evidence

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup/token"
)

// Weights say what a unit of each feature is worth, in bits, in texts of few
// words and of many, in units of 1/weightUnit. Between them it is interpolated by the
// binary logarithm of the words.
type Weights struct {
	Few, Many [features]int32
	// Slots are of one corpus; nil: none.
	Slots Slots
}

const (
	weightUnit = 1 << 12
	// texts of 2^fewLog words and fewer have the weights of few, of 2^manyLog and
	// more those of many.
	fewLog, manyLog = 2, 10
	// mostBits bounds a weight, so that no sum overflows.
	mostBits = 1 << 10
)

//go:embed weights.toml
var shipped string

// Shipped are the weights that neardup learned from judged and made pairs.
var Shipped = sync.OnceValues(func() (Weights, error) { return ReadWeights(shipped) })

// ReadWeights reads a table of weights as Write writes it: a line "feature =
// [few, many]" for each feature, in bits, and the section of Slots. It is TOML, and no more of it than that. Errors name the line.
func ReadWeights(data string) (w Weights, err error) {
	seen := [features]bool{}
	for n, line := range strings.Split(data, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if line == "[slots]" && w.Slots == nil {
			w.Slots = Slots{}
			continue
		}
		if w.Slots != nil {
			if err := w.Slots.read(line); err != nil {
				return w, fmt.Errorf("weights, line %d: %w", n+1, err)
			}
			continue
		}
		line, _, _ = strings.Cut(line, "#")
		k, err := w.read(line)
		if err == nil && seen[k] {
			err = fmt.Errorf("%s again", k)
		}
		if err != nil {
			return w, fmt.Errorf("weights, line %d: %w", n+1, err)
		}
		seen[k] = true
	}
	for k, is := range seen {
		if !is {
			return w, fmt.Errorf("weights: no line for %s", Feature(k))
		}
	}
	return w, nil
}

func (w *Weights) read(line string) (k Feature, err error) {
	name, list, _ := strings.Cut(line, "=")
	if k = Feature(slices.Index(featureNames[:], strings.TrimSpace(name))); k < 0 {
		return k, fmt.Errorf("%q is none of %s", strings.TrimSpace(name), strings.Join(featureNames[:], ", "))
	}
	list = strings.TrimSpace(list)
	few, many, found := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(list, "["), "]"), ",")
	if !found || !strings.HasPrefix(list, "[") || !strings.HasSuffix(list, "]") {
		return k, fmt.Errorf("%s needs two numbers, [few words, many words]", k)
	}
	if w.Few[k], err = k.parse(few); err == nil {
		w.Many[k], err = k.parse(many)
	}
	return k, err
}

// parse reads the weight of a feature.
func (f Feature) parse(s string) (int32, error) {
	bits, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(math.Abs(bits) <= mostBits) {
		return 0, fmt.Errorf("%s: %q is no number of bits within %d", f, s, mostBits)
	}
	if bits*float64(f.Sign()) < 0 {
		return 0, fmt.Errorf("%s: %v bits have the wrong sign", f, bits)
	}
	return int32(math.Round(bits * weightUnit)), nil
}

// Write writes the table, with a line for each feature and each slot.
func (w Weights) Write(out io.Writer) error {
	if _, err := fmt.Fprintf(out, "# What a unit of each feature is worth, in bits: in texts of %d words or fewer, of %d or more.\n", 1<<fewLog, 1<<manyLog); err != nil {
		return err
	}
	for _, k := range Features() {
		if _, err := fmt.Fprintf(out, "%-13s = [%.4f, %.4f]\n", k, float64(w.Few[k])/weightUnit, float64(w.Many[k])/weightUnit); err != nil {
			return err
		}
	}
	return w.Slots.write(out)
}

// MakeWeights makes a table of bits, for few and for many words, in the order of Features.
func MakeWeights(few, many []float64) (w Weights) {
	for k := range w.Few {
		w.Few[k], w.Many[k] = int32(math.Round(few[k]*weightUnit)), int32(math.Round(many[k]*weightUnit))
	}
	return w
}

// Bits are the weights of a table.
func (w Weights) Bits() (few, many []float64) {
	for k := range w.Few {
		few, many = append(few, float64(w.Few[k])/weightUnit), append(many, float64(w.Many[k])/weightUnit)
	}
	return few, many
}

// Digest tells tables apart, in a Spec.
func (w Weights) Digest() string {
	h := xxh3.New()
	_ = w.Write(h) // a hash takes all
	return fmt.Sprintf("%016x", h.Sum64())
}

// at is how far a text of so many words is from few to many, in units of 1/Unit.
func at(length int32) int64 {
	const from, to = fewLog * token.Unit, manyLog * token.Unit
	return int64(min(max(length, from), to)-from) * token.Unit / (to - from)
}

// worth is what a value of a feature says, in units of 1/Unit bits times weightUnit.
func (w *Weights) worth(k Feature, value int32, at int64) int64 {
	return int64(value) * (int64(w.Few[k])*(token.Unit-at) + int64(w.Many[k])*at) / token.Unit
}

// Blend splits a vector in what the weights of few and of many words are of, for
// a fit: bits are the products' sum.
func Blend(v Vector) (few, many [features]float64) {
	t := float64(at(v[Length])) / token.Unit
	for k, value := range v {
		few[k], many[k] = float64(value)/token.Unit*(1-t), float64(value)/token.Unit*t
	}
	return few, many
}

// Score is the sum of the evidence, in units of 1/Unit bits: the binary
// logarithm of the odds that two texts say the same.
type Score int32

// Score adds up the evidence.
func (w *Weights) Score(v Vector) Score {
	t, sum := at(v[Length]), int64(0)
	for k, value := range v {
		if value != 0 {
			sum += w.worth(Feature(k), value, t)
		}
	}
	return Score(min(max(sum/weightUnit, -mostScore), mostScore))
}

// plus adds what a corpus says.
func (s Score) plus(n int32) Score { return min(max(s+Score(n), -mostScore), mostScore) }

// mostScore is where the scale ends: one in a million.
const mostScore = 20 * token.Unit

// Bits of the odds.
func (s Score) Bits() float64 { return float64(s) / token.Unit }

// Probability is what the odds say, from 0 to 1, a quotient of whole numbers.
func (s Score) Probability() float64 {
	whole, part := int(s)>>8, int(s)&(token.Unit-1)
	odds, one := powers[part], uint64(1)<<31 // 2^(part/256), in units of 2^-31
	if whole >= 0 {
		odds <<= whole // at most 2^52
	} else {
		one <<= -whole
	}
	return float64(odds) / float64(odds+one)
}

// Probability is what odds of so many bits say.
func Probability(bits float64) float64 {
	return Score(math.Round(min(max(bits*token.Unit, -mostScore), mostScore))).Probability()
}

// powers are 2^(i/256) in units of 2^-31, found by taking square roots.
var powers = func() (t [token.Unit]uint64) {
	// root[k] is 2^(2^-k) in units of 2^-31, rounded down.
	var root [9]uint64
	root[0] = 2 << 31
	for k := 1; k < len(root); k++ {
		root[k] = squareRoot(root[k-1] << 31)
	}
	for i := range t {
		t[i] = 1 << 31
		for k := 1; k < len(root); k++ {
			if i>>(8-k)&1 == 1 {
				t[i] = t[i] * root[k] >> 31
			}
		}
	}
	return t
}()

// squareRoot of a whole number, rounded down (Newton).
func squareRoot(n uint64) uint64 {
	x := uint64(1) << 32
	for {
		y := (x + n/x) / 2
		if y >= x {
			return x
		}
		x = y
	}
}
