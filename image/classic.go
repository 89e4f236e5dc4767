package image

import (
	"image"
	"math"
	"slices"
)

// PHash returns the 64-bit hash of imagehash.phash. It takes the 8x8 lowest frequencies of 32x32 grey pixels, and sets a
// bit for each above their median. Formatted with %016x it equals the output of imagehash.
func PHash(img image.Image) uint64 {
	const n = 32
	grey := greyOf(img).resized(n, n)
	values := make([]float64, n*n)
	for i, v := range grey.v {
		values[i] = float64(v)
	}
	var low [64]float64
	for v := range 8 {
		for y := range n {
			row := 0.0
			for x := range n {
				row += values[y*n+x] * wave(v, x, n)
			}
			for u := range 8 {
				low[u*8+v] += row * wave(u, y, n)
			}
		}
	}
	sorted := low
	slices.Sort(sorted[:])
	median := (sorted[31] + sorted[32]) / 2
	return bitsOf(func(i int) bool { return low[i] > median })
}

func wave(frequency, at, n int) float64 {
	return math.Cos(math.Pi * float64(frequency) * float64(2*at+1) / float64(2*n))
}

// DHash returns the 64-bit hash of imagehash.dhash. It sets a bit for each of 9x8 grey pixels that is brighter than its
// left neighbour.
func DHash(img image.Image) uint64 {
	grey := greyOf(img).resized(9, 8)
	return bitsOf(func(i int) bool { return grey.v[i/8*9+i%8+1] > grey.v[i/8*9+i%8] })
}

// bitsOf packs 64 bits, the first bit highest.
func bitsOf(set func(int) bool) (h uint64) {
	for i := range 64 {
		h <<= 1
		if set(i) {
			h |= 1
		}
	}
	return h
}

// grey is a picture in greyscale.
type grey struct {
	w, h int
	v    []uint8
}

// greyOf converts a picture to greyscale like Pillow's convert("L").
func greyOf(img image.Image) grey {
	at, w, h := pixels(img)
	g := grey{w, h, make([]uint8, w*h)}
	for i := range g.v {
		r, green, b := at(i%w, i/w)
		g.v[i] = uint8((uint32(r)*19595 + uint32(green)*38470 + uint32(b)*7471 + 1<<15) >> 16)
	}
	return g
}

// resized resizes a picture like Pillow with the Lanczos filter: first along the rows, then along the columns, in fixed
// point, rounding after each.
func (g grey) resized(w, h int) grey {
	if g.w == 0 || g.h == 0 {
		return grey{w, h, make([]uint8, w*h)}
	}
	rows := grey{w, g.h, make([]uint8, w*g.h)}
	for x, k := range kernels(g.w, w) {
		for y := range g.h {
			rows.v[y*w+x] = k.of(g.v[y*g.w+k.from:], 1)
		}
	}
	out := grey{w, h, make([]uint8, w*h)}
	for y, k := range kernels(g.h, h) {
		for x := range w {
			out.v[y*w+x] = k.of(rows.v[k.from*w+x:], w)
		}
	}
	return out
}

// kernel lists the weights of the source pixels of one pixel. The first source pixel is from.
type kernel struct {
	from    int
	weights []int32
}

const weightBits = 22

func (k kernel) of(v []uint8, stride int) uint8 {
	sum := int32(1) << (weightBits - 1)
	for i, weight := range k.weights {
		sum += int32(v[i*stride]) * weight
	}
	return uint8(max(0, min(sum>>weightBits, 255)))
}

// kernels returns the kernels that resize a row of size pixels to n.
func kernels(size, n int) []kernel {
	const lobes = 3
	scale := float64(size) / float64(n)
	wide := max(scale, 1)
	out := make([]kernel, n)
	for i := range out {
		center := (float64(i) + .5) * scale
		from := max(int(center-lobes*wide+.5), 0)
		to := min(int(center+lobes*wide+.5), size)
		weights, sum := make([]float64, to-from), 0.0
		for j := range weights {
			weights[j] = lanczos((float64(from+j)-center+.5)/wide, lobes)
			sum += weights[j]
		}
		k := kernel{from, make([]int32, len(weights))}
		for j, v := range weights {
			k.weights[j] = int32(math.Round(v / sum * (1 << weightBits)))
		}
		out[i] = k
	}
	return out
}

func lanczos(x, lobes float64) float64 {
	sinc := func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	}
	if x < -lobes || x >= lobes {
		return 0
	}
	return sinc(x) * sinc(x/lobes)
}
