// Package pictures draws and edits pictures for tests and figures. A seed determines each picture.
package pictures

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/tiff"
)

// Draw draws the picture of a seed. It has shapes of all sizes on a gradient of two colours, with some grain.
func Draw(seed uint64, w, h int) *image.NRGBA {
	r := rand.New(rand.NewPCG(seed, 0x9d5))
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	from, to, slope := tint(r), tint(r), r.Float64()*2*math.Pi
	cos, sin := math.Cos(slope), math.Sin(slope)
	for y := range h {
		for x := range w {
			t := .5 + (float64(x)/float64(w)-.5)*cos + (float64(y)/float64(h)-.5)*sin
			img.SetNRGBA(x, y, mixed(from, to, t))
		}
	}
	for range 24 + r.IntN(24) {
		shape(img, r)
	}
	for i := range img.Pix {
		if i%4 < 3 {
			img.Pix[i] = clip(float64(img.Pix[i]) + r.NormFloat64()*3)
		}
	}
	return img
}

func tint(r *rand.Rand) color.NRGBA {
	return color.NRGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), 255}
}

func mixed(a, b color.NRGBA, t float64) color.NRGBA {
	t = max(0, min(t, 1))
	of := func(a, b uint8) uint8 { return uint8(float64(a)*(1-t) + float64(b)*t) }
	return color.NRGBA{of(a.R, b.R), of(a.G, b.G), of(a.B, b.B), 255}
}

func clip(v float64) uint8 { return uint8(max(0, min(v, 255))) }

// shape draws an ellipse or a bar at a random angle.
func shape(img *image.NRGBA, r *rand.Rand) {
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	cx, cy, c := r.Float64()*w, r.Float64()*h, tint(r)
	a, b := w*(.03+.22*r.Float64()*r.Float64()), h*(.03+.22*r.Float64()*r.Float64())
	angle, round := r.Float64()*math.Pi, r.IntN(2) == 0
	cos, sin, reach := math.Cos(angle), math.Sin(angle), math.Hypot(a, b)
	for y := int(max(0, cy-reach)); y < int(min(h, cy+reach)); y++ {
		for x := int(max(0, cx-reach)); x < int(min(w, cx+reach)); x++ {
			u, v := ((float64(x)-cx)*cos+(float64(y)-cy)*sin)/a, ((float64(y)-cy)*cos-(float64(x)-cx)*sin)/b
			if (round && u*u+v*v < 1) || (!round && math.Abs(u) < .7 && math.Abs(v) < .7) {
				img.SetNRGBA(x, y, c)
			}
		}
	}
}

// Edit changes a picture in a way that leaves it recognisable.
type Edit struct {
	Name string
	Ends string // extension of the file
	Make func(img image.Image, r *rand.Rand) ([]byte, error)
}

// Edits returns the edits that people make of pictures.
func Edits() []Edit {
	asJPEG := func(name string, quality int, change func(image.Image, *rand.Rand) image.Image) Edit {
		return Edit{name, ".jpg", func(img image.Image, r *rand.Rand) ([]byte, error) { return JPEG(change(img, r), quality) }}
	}
	encoded := func(name, ends string, encode func(*bytes.Buffer, image.Image) error) Edit {
		return Edit{name, ends, func(img image.Image, _ *rand.Rand) ([]byte, error) {
			var b bytes.Buffer
			err := encode(&b, img)
			return b.Bytes(), err
		}}
	}
	same := func(img image.Image, _ *rand.Rand) image.Image { return img }
	all := []Edit{
		asJPEG("recompressed, quality 75", 75, same), asJPEG("recompressed, quality 20", 20, same),
		asJPEG("half as wide and high", 85, resized(.5, .5)), asJPEG("a fifth as wide and high", 85, resized(.2, .2)),
		asJPEG("twice as wide and high", 85, resized(2, 2)), asJPEG("a fifth wider", 85, resized(1.2, 1)),
		encoded("PNG", ".png", func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }),
		encoded("GIF of 256 colours", ".gif", func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }),
		encoded("BMP", ".bmp", func(b *bytes.Buffer, m image.Image) error { return bmp.Encode(b, m) }),
		encoded("TIFF", ".tiff", func(b *bytes.Buffer, m image.Image) error { return tiff.Encode(b, m, nil) }),
		asJPEG("brighter by a fifth", 85, toned(1.2, 0)), asJPEG("darker by a third", 85, toned(.67, 0)),
		asJPEG("contrast higher by a third", 85, toned(1.33, -42)), asJPEG("grey", 85, greyed),
		asJPEG("watermark in a corner", 85, marked(.25, .1)), asJPEG("watermark across", 85, marked(.8, .15)),
	}
	for _, cut := range []struct {
		name  string
		share float64
	}{{"2 %", .02}, {"5 %", .05}, {"10 %", .1}} {
		all = append(all, asJPEG("cropped by "+cut.name, 85, cropped(cut.share)), asJPEG("border of "+cut.name, 85, bordered(cut.share)))
	}
	return all
}

// JPEG encodes a picture.
func JPEG(img image.Image, quality int) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}

// copied returns a copy of a picture with a margin around it.
func copied(img image.Image, margin int) *image.NRGBA {
	size := img.Bounds().Size()
	out := image.NewNRGBA(image.Rect(0, 0, size.X+2*margin, size.Y+2*margin))
	draw.Draw(out, image.Rectangle{Min: image.Pt(margin, margin), Max: size.Add(image.Pt(margin, margin))}, img, img.Bounds().Min, draw.Src)
	return out
}

func resized(fx, fy float64) func(image.Image, *rand.Rand) image.Image {
	return func(img image.Image, _ *rand.Rand) image.Image {
		size := img.Bounds().Size()
		out := image.NewNRGBA(image.Rect(0, 0, int(float64(size.X)*fx), int(float64(size.Y)*fy)))
		draw.CatmullRom.Scale(out, out.Rect, img, img.Bounds(), draw.Src, nil)
		return out
	}
}

func toned(factor, plus float64) func(image.Image, *rand.Rand) image.Image {
	return func(img image.Image, _ *rand.Rand) image.Image {
		out := copied(img, 0)
		for i, v := range out.Pix {
			if i%4 < 3 {
				out.Pix[i] = clip(float64(v)*factor + plus)
			}
		}
		return out
	}
}

func greyed(img image.Image, _ *rand.Rand) image.Image {
	out := image.NewGray(img.Bounds())
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

// cropped removes a share of the width and height, divided at random between the sides.
func cropped(share float64) func(image.Image, *rand.Rand) image.Image {
	return func(img image.Image, r *rand.Rand) image.Image {
		out := copied(img, 0)
		dx, dy := int(float64(out.Rect.Dx())*share), int(float64(out.Rect.Dy())*share)
		x, y := r.IntN(dx+1), r.IntN(dy+1)
		return out.SubImage(image.Rect(x, y, out.Rect.Dx()-dx+x, out.Rect.Dy()-dy+y))
	}
}

// bordered adds a black or white frame. Its width is a share of that of the picture.
func bordered(share float64) func(image.Image, *rand.Rand) image.Image {
	return func(img image.Image, r *rand.Rand) image.Image {
		margin := int(float64(img.Bounds().Dx()) * share / 2)
		out := copied(img, margin)
		frame := image.NewUniform([]color.Color{color.Black, color.White}[r.IntN(2)])
		inner := out.Rect.Inset(margin)
		for _, side := range []image.Rectangle{
			{out.Rect.Min, image.Pt(out.Rect.Max.X, inner.Min.Y)}, {image.Pt(0, inner.Max.Y), out.Rect.Max},
			{image.Pt(0, inner.Min.Y), image.Pt(inner.Min.X, inner.Max.Y)}, {image.Pt(inner.Max.X, inner.Min.Y), image.Pt(out.Rect.Max.X, inner.Max.Y)},
		} {
			draw.Draw(out, side, frame, image.Point{}, draw.Src)
		}
		return out
	}
}

// marked draws half-transparent bars, like letters, over the lower right part of the picture or, if it is wide, over the
// middle.
func marked(wide, high float64) func(image.Image, *rand.Rand) image.Image {
	return func(img image.Image, r *rand.Rand) image.Image {
		out := copied(img, 0)
		w, h := float64(out.Rect.Dx()), float64(out.Rect.Dy())
		x, y := w*(.97-wide), h*(.97-high)
		if wide > .5 {
			x, y = w*(1-wide)/2, h*(1-high)/2
		}
		ink := image.NewUniform(color.NRGBA{255, 255, 255, 128})
		const letters = 12
		for i := range letters {
			left, step := x+w*wide*float64(i)/letters, w*wide/letters
			top := y + h*high*.4*r.Float64()
			draw.Draw(out, image.Rect(int(left), int(top), int(left+step*(.3+.4*r.Float64())), int(y+h*high)), ink, image.Point{}, draw.Over)
		}
		return out
	}
}

// Turned rotates a picture counter-clockwise by 90 degrees.
func Turned(img image.Image) image.Image {
	b := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dy(), b.Dx()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.Set(y, b.Dx()-1-x, img.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return out
}
