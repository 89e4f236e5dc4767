package image

import (
	"image"
	"math"
	"slices"
)

const (
	side        = 64  // width and height of the samples
	frequencies = 16  // lowest frequencies in each direction
	leastSide   = 5   // smallest width and height of a picture with a hash
	mostSide    = 512 // larger pictures are sampled first, as in the reference
	passes      = 2   // passes of the box filter in each direction; two make a tent filter
)

// Of returns the hash of a picture and its quality. The quality, 0 to 100, measures how much the samples differ from their
// neighbours. It is 0 for a picture of one colour, or one of less than 5 pixels in width or height.
func Of(img image.Image) (Hash, int) {
	spectrum, quality := spectrumOf(img)
	return spectrum.hash(), quality
}

// spectrum holds the amplitudes of the 16x16 lowest frequencies, except the constant one, row by row.
type spectrum [frequencies * frequencies]float32

func spectrumOf(img image.Image) (spectrum, int) {
	p := luminance(img)
	if p.w < leastSide || p.h < leastSide {
		return spectrum{}, 0
	}
	if p.w != side || p.h != side {
		p = p.blurred().samples(side)
	}
	return transform(p.v), qualityOf(p.v)
}

// plane holds the brightness of each pixel, row by row.
type plane struct {
	w, h int
	v    []float32
}

// luminance returns the luminance of every pixel. From a large picture it samples 512 pixels in each direction.
func luminance(img image.Image) plane {
	at, w, h := pixels(img)
	p := plane{w: w, h: h}
	if w > mostSide || h > mostSide {
		p.w, p.h = mostSide, mostSide
	}
	if w == 0 || h == 0 {
		return plane{}
	}
	p.v = make([]float32, p.w*p.h)
	for y := range p.h {
		for x := range p.w {
			r, g, b := at(x*w/p.w, y*h/p.h)
			luma := float32(float32(.299)*float32(r)) + float32(float32(.587)*float32(g))
			p.v[y*p.w+x] = luma + float32(float32(.114)*float32(b))
		}
	}
	return p
}

// blurred averages each pixel with its neighbours twice, in a box of half the width of a sample.
func (p plane) blurred() plane {
	other := make([]float32, len(p.v))
	window := func(n int) int { return (n + 2*side - 1) / (2 * side) }
	for range passes {
		for y := range p.h {
			row := y * p.w
			alongRow(p.v[row:row+p.w], other[row:row+p.w], window(p.w))
		}
		alongColumns(other, p.v, p.w, window(p.h))
	}
	return p
}

// alongRow replaces each value by the mean of a window around it. The window is cut off at the ends.
func alongRow(in, out []float32, window int) {
	ahead := window / 2
	behind := window - ahead - 1
	sum, inside := float32(0), float32(ahead)
	for _, v := range in[:ahead] {
		sum += v
	}
	for i := range in {
		if i+ahead < len(in) {
			sum += in[i+ahead]
			inside++
		}
		if last := i - behind - 1; last >= 0 {
			sum -= in[last]
			inside--
		}
		out[i] = sum / inside
	}
}

// alongColumns does the same along the columns. It processes all columns at once, because memory is read by rows.
func alongColumns(in, out []float32, width, window int) {
	n, ahead := len(in)/width, window/2
	behind := window - ahead - 1
	sums, inside := make([]float32, width), float32(0)
	add := func(y int) {
		for x, v := range in[y*width:][:width] {
			sums[x] += v
		}
		inside++
	}
	for y := range ahead {
		add(y)
	}
	for y := range n {
		if y+ahead < n {
			add(y + ahead)
		}
		if last := y - behind - 1; last >= 0 {
			for x, v := range in[last*width:][:width] {
				sums[x] -= v
			}
			inside--
		}
		for x, sum := range sums {
			out[y*width+x] = sum / inside
		}
	}
}

// samples returns the middle value of each of n x n fields.
func (p plane) samples(n int) plane {
	s := plane{n, n, make([]float32, n*n)}
	middle := func(i, of int) int { return (2*i + 1) * of / (2 * n) }
	for y := range n {
		for x := range n {
			s.v[y*n+x] = p.v[middle(y, p.h)*p.w+middle(x, p.w)]
		}
	}
	return s
}

// qualityOf returns the quality from the sum of the differences between neighbours. Each difference is rounded down to
// whole percent of the range from black to white.
func qualityOf(v []float32) int {
	sum := 0
	step := func(a, b float32) {
		d := int(float32((a-b)*100) / 255)
		sum += max(d, -d)
	}
	for y := range side {
		for x := range side {
			at := y*side + x
			if y+1 < side {
				step(v[at], v[at+side])
			}
			if x+1 < side {
				step(v[at], v[at+1])
			}
		}
	}
	return min(sum/90, 100)
}

// cosines holds the rows 1 to 16 of the matrix of the cosine transform.
var cosines = func() (m [frequencies][side]float32) {
	scale := float32(math.Sqrt(2.0 / side))
	for i := range m {
		for j := range m[i] {
			m[i][j] = float32(float64(scale) * math.Cos(math.Pi/2/side*float64(i+1)*float64(2*j+1)))
		}
	}
	return m
}()

// transform returns the lowest frequencies of 64x64 samples. Products are rounded before they are added, so that no
// processor fuses the two operations.
func transform(v []float32) (s spectrum) {
	var columns [frequencies][side]float32
	for i := range frequencies {
		for k := range side {
			c := cosines[i][k]
			for j, sample := range v[k*side:][:side] {
				columns[i][j] += float32(c * sample)
			}
		}
	}
	for i := range frequencies {
		for j := range frequencies {
			sum := float32(0)
			for k := range side {
				sum += float32(columns[i][k] * cosines[j][k])
			}
			s[i*frequencies+j] = sum
		}
	}
	return s
}

// hash returns a hash with a bit set for each amplitude above the median. The median is the lower of the two middle values.
func (s *spectrum) hash() (h Hash) {
	sorted := *s
	slices.Sort(sorted[:])
	median := sorted[len(sorted)/2-1]
	for i, v := range s {
		if v > median {
			h[i/64] |= 1 << (i % 64)
		}
	}
	return h
}
