package image

import (
	"image"
	"image/color"
)

// pixels returns the size of a picture and a function for the colour at a position. Positions count from the upper left
// corner, and colours have 8 bits. It ignores alpha, so transparent pixels keep their colour, as in the reference. Of 16
// bits it uses the upper 8.
func pixels(img image.Image) (at func(x, y int) (r, g, b uint8), w, h int) {
	if t, ok := img.(*oriented); ok {
		stored, w, h := pixels(t.Image)
		size := t.Bounds()
		return func(x, y int) (r, g, b uint8) { return stored(t.stored(x, y, w, h)) }, size.Dx(), size.Dy()
	}
	rect := img.Bounds()
	x0, y0 := rect.Min.X, rect.Min.Y
	w, h = rect.Dx(), rect.Dy()
	switch m := img.(type) {
	case *image.YCbCr:
		return func(x, y int) (r, g, b uint8) {
			c := m.COffset(x0+x, y0+y)
			return color.YCbCrToRGB(m.Y[m.YOffset(x0+x, y0+y)], m.Cb[c], m.Cr[c])
		}, w, h
	case *image.NYCbCrA:
		return pixels(&m.YCbCr)
	case *image.Gray:
		return func(x, y int) (r, g, b uint8) {
			v := m.Pix[m.PixOffset(x0+x, y0+y)]
			return v, v, v
		}, w, h
	case *image.NRGBA:
		return func(x, y int) (r, g, b uint8) {
			p := m.Pix[m.PixOffset(x0+x, y0+y):]
			return p[0], p[1], p[2]
		}, w, h
	case *image.CMYK:
		return func(x, y int) (r, g, b uint8) {
			p := m.Pix[m.PixOffset(x0+x, y0+y):]
			return color.CMYKToRGB(p[0], p[1], p[2], p[3])
		}, w, h
	case *image.Paletted:
		return paletted(m), w, h
	}
	return func(x, y int) (r, g, b uint8) { return straight(img.At(x0+x, y0+y)) }, w, h
}

func paletted(m *image.Paletted) func(x, y int) (r, g, b uint8) {
	var palette [256][3]uint8 // an index outside of the palette is black
	for i, c := range m.Palette {
		palette[i][0], palette[i][1], palette[i][2] = straight(c)
	}
	return func(x, y int) (r, g, b uint8) {
		c := palette[m.Pix[m.PixOffset(m.Rect.Min.X+x, m.Rect.Min.Y+y)]]
		return c[0], c[1], c[2]
	}
}

// straight returns a colour without alpha.
func straight(c color.Color) (r, g, b uint8) {
	if c, ok := c.(color.NRGBA64); ok { // this type keeps the colour of a transparent pixel
		return uint8(c.R >> 8), uint8(c.G >> 8), uint8(c.B >> 8)
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return n.R, n.G, n.B
}
