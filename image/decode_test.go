package image_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	stdimage "image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/neardup/neardup/image"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// scene draws a picture of smooth shapes in which no turn is like another.
func scene(w, h int) *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x)/float64(w), float64(y)/float64(h)
			c := color.NRGBA{uint8(200 * fx), uint8(255 * fy * fx), 40, 255}
			if d := (fx-.3)*(fx-.3) + (fy-.2)*(fy-.2); d < .02 {
				c = color.NRGBA{250, 240, 220, 255}
			}
			if fx > .5 && fx < .62 && fy > .4 {
				c = color.NRGBA{20, 30, 90, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func pngOf(tb testing.TB, img stdimage.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(tb testing.TB, img stdimage.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// One picture in each format has one hash: exactly where nothing is lost.
func TestFormats(t *testing.T) {
	img := scene(300, 200)
	want, quality := image.Of(img)
	if quality < 50 {
		t.Fatalf("the scene has quality %d", quality)
	}
	deep := stdimage.NewNRGBA64(img.Bounds())
	for y := range 200 {
		for x := range 300 {
			deep.Set(x, y, img.At(x, y))
		}
	}
	tests := []struct {
		name   string
		encode func(*bytes.Buffer) error
		most   int
	}{
		{"png", func(b *bytes.Buffer) error { return png.Encode(b, img) }, 0},
		{"png of 16 bits", func(b *bytes.Buffer) error { return png.Encode(b, deep) }, 0},
		{"bmp", func(b *bytes.Buffer) error { return bmp.Encode(b, img) }, 0},
		{"tiff", func(b *bytes.Buffer) error { return tiff.Encode(b, img, &tiff.Options{Compression: tiff.Deflate}) }, 0},
		{"jpeg", func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) }, 6},
		{"gif", func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) }, 10},
	}
	for _, test := range tests {
		var b bytes.Buffer
		if err := test.encode(&b); err != nil {
			t.Fatal(err)
		}
		if got, _ := image.Of(decode(t, b.Bytes())); got.Distance(want) > test.most {
			t.Errorf("%s: %d bits from the original, want at most %d", test.name, got.Distance(want), test.most)
		}
	}
}

// The alpha of a colour does not count, even where nothing of it is seen.
func TestAlphaIsLeftOut(t *testing.T) {
	img := scene(100, 80)
	want, _ := image.Of(img)
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = uint8(i)
	}
	if got, _ := image.Of(decode(t, pngOf(t, img))); got != want {
		t.Errorf("alpha changes the hash by %d bits", got.Distance(want))
	}
}

// An animation is its first frame.
func TestFirstFrame(t *testing.T) {
	frame := func(turned bool) *stdimage.Paletted {
		p := stdimage.NewPaletted(stdimage.Rect(0, 0, 64, 64), color.Palette{color.Black, color.White})
		for y := range 64 {
			for x := range 64 {
				if x > 20 != turned && y > 30 {
					p.SetColorIndex(x, y, 1)
				}
			}
		}
		return p
	}
	want, _ := image.Of(frame(false))
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*stdimage.Paletted{frame(false), frame(true)}, Delay: []int{9, 9}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := image.Of(decode(t, b.Bytes())); got != want {
		t.Errorf("%d bits from the first frame", got.Distance(want))
	}
}

// exif returns a TIFF header and a directory with only the orientation.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00")
	if order == binary.BigEndian {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(order.AppendUint16(b, 274), 3)
	b = order.AppendUint16(order.AppendUint32(b, 1), orientation)
	return append(b, make([]byte, 6)...)
}

// withEXIF puts the orientation into a file.
func withEXIF(tb testing.TB, data []byte, orientation uint16) []byte {
	tb.Helper()
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		content := append([]byte("Exif\x00\x00"), exif(binary.BigEndian, orientation)...)
		segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(content)+2))
		return bytes.Join([][]byte{data[:2], segment, content, data[2:]}, nil)
	case bytes.HasPrefix(data, []byte("RIFF")):
		content := exif(binary.LittleEndian, orientation)
		chunk := binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(content)))
		out := bytes.Join([][]byte{data, chunk, content}, nil)
		binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
		return out
	}
	content := exif(binary.LittleEndian, orientation)
	chunk := append([]byte("eXIf"), content...)
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
	length := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	const header = 8 + 25
	return bytes.Join([][]byte{data[:header], length, chunk, sum, data[header:]}, nil)
}

// The pixel that is stored in the upper left corner of 40 x 20 is seen here.
func TestOrientation(t *testing.T) {
	img := stdimage.NewGray(stdimage.Rect(0, 0, 40, 20))
	for y := range 8 {
		for x := range 8 {
			img.SetGray(x, y, color.Gray{255})
		}
	}
	for orientation, want := range map[uint16]stdimage.Point{
		0: {2, 2}, 1: {2, 2}, 2: {37, 2}, 3: {37, 17}, 4: {2, 17}, 5: {2, 2}, 6: {17, 2}, 7: {17, 37}, 8: {2, 37}, 9: {2, 2},
	} {
		for format, data := range map[string][]byte{"jpeg": jpegOf(t, img), "png": pngOf(t, img)} {
			got := decode(t, withEXIF(t, data, orientation))
			size := stdimage.Pt(40, 20)
			if orientation >= 5 && orientation <= 8 {
				size = stdimage.Pt(20, 40)
			}
			if got.Bounds() != (stdimage.Rectangle{Max: size}) {
				t.Errorf("%s, orientation %d: seen as %v", format, orientation, got.Bounds())
			}
			for _, p := range []stdimage.Point{{2, 2}, {size.X - 3, 2}, {2, size.Y - 3}, size.Sub(stdimage.Pt(3, 3))} {
				grey := color.GrayModel.Convert(got.At(p.X, p.Y)).(color.Gray)
				if bright := grey.Y > 128; bright != (p == want) {
					t.Errorf("%s, orientation %d: %v is bright: %v", format, orientation, p, bright)
				}
			}
		}
	}
	webp := read(t, "pdq/misc-images/modes/F.webp")
	if plain, turned := decode(t, webp).Bounds(), decode(t, withEXIF(t, webp, 6)).Bounds(); plain.Dx() != turned.Dy() || plain.Dx() == plain.Dy() {
		t.Errorf("webp, orientation 6: %v is seen as %v", plain, turned)
	}
}

// A photograph that is stored lying is the one that is stored upright.
func TestOrientedHash(t *testing.T) {
	img := scene(96, 64)
	all, _ := image.Turned(img)
	for orientation, turn := range map[uint16]int{3: 2, 6: 3, 8: 1, 4: 4, 2: 5, 5: 6, 7: 7} {
		got, _ := image.Of(decode(t, withEXIF(t, pngOf(t, img), orientation)))
		for i, h := range all {
			if d := got.Distance(h); (d <= 24) != (i == turn) {
				t.Errorf("orientation %d: %d bits from turn %d", orientation, d, i)
			}
		}
	}
}

// A thumbnail is the picture, small.
func TestThumbnail(t *testing.T) {
	img := scene(640, 400)
	want, _ := image.Of(img)
	for _, test := range []struct {
		side int
		size stdimage.Point
	}{{160, stdimage.Pt(160, 100)}, {1000, stdimage.Pt(640, 400)}, {1, stdimage.Pt(1, 1)}} {
		data, err := image.Thumbnail(img, test.side)
		if err != nil {
			t.Fatal(err)
		}
		small := decode(t, data)
		got, _ := image.Of(small)
		if small.Bounds().Size() != test.size || (test.side > 1 && got.Distance(want) > 31) {
			t.Errorf("within %d: %v, %d bits from the picture", test.side, small.Bounds().Size(), got.Distance(want))
		}
	}
}

func TestLimits(t *testing.T) {
	small := pngOf(t, scene(50, 40))
	bomb := bytes.Clone(small)
	copy(bomb[16:], "\x00\x00\xff\xff\x00\x00\xff\xff") // width and height
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	tests := []struct {
		name   string
		data   []byte
		limits image.Limits
		want   error
		says   string
	}{
		{"within", small, image.Limits{Bytes: int64(len(small)), Pixels: 2000}, nil, ""},
		{"bytes", small, image.Limits{Bytes: int64(len(small)) - 1}, image.ErrLimit, "bytes"},
		{"pixels", small, image.Limits{Pixels: 1999}, image.ErrLimit, "50 x 40 pixels"},
		{"bomb", bomb, image.Limits{}, image.ErrLimit, "65535 x 65535 pixels"},
		{"AVIF", []byte("\x00\x00\x00\x20ftypavif\x00\x00\x00\x00"), image.Limits{}, image.ErrFormat, "AVIF"},
		{"HEIC", []byte("\x00\x00\x00\x20ftypheic\x00\x00\x00\x00"), image.Limits{}, image.ErrFormat, "HEIC"},
		{"film", []byte("\x00\x00\x00\x20ftypisom\x00\x00\x00\x00"), image.Limits{}, image.ErrFormat, "isom"},
		{"SVG", []byte("<svg xmlns=..."), image.Limits{}, image.ErrFormat, "SVG"},
		{"text", []byte("no picture"), image.Limits{}, image.ErrFormat, "not a supported picture"},
		{"nothing", nil, image.Limits{}, image.ErrFormat, "empty"},
	}
	for _, test := range tests {
		var err error
		allocated := testing.AllocsPerRun(1, func() { _, err = image.Decode(test.data, test.limits) })
		if !errors.Is(err, test.want) || (err != nil && !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: error %v, want %v that says %q", test.name, err, test.want, test.says)
		}
		if allocated > 1000 {
			t.Errorf("%s: %v allocations", test.name, allocated)
		}
	}
	if _, err := image.Decode(small[:len(small)/2], image.Limits{}); err == nil {
		t.Error("half a picture is decoded")
	}
}

// Pictures without detail have quality 0.
func TestFlatPictures(t *testing.T) {
	for name, img := range map[string]stdimage.Image{
		"grey":    stdimage.NewGray(stdimage.Rect(0, 0, 300, 300)),
		"4 high":  scene(300, 4),
		"nothing": stdimage.NewGray(stdimage.Rect(0, 0, 0, 0)),
	} {
		if _, quality := image.Of(img); quality != 0 {
			t.Errorf("%s: quality %d", name, quality)
		}
		image.PHash(img)
		image.DHash(img)
	}
}

// Whatever a file holds, it is decoded within the limits or an error.
func FuzzDecode(f *testing.F) {
	img := scene(20, 16)
	var g bytes.Buffer
	if err := gif.Encode(&g, img, nil); err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][]byte{jpegOf(f, img), pngOf(f, img), g.Bytes(), nil, []byte("RIFF\x04\x00\x00\x00WEBP"), exif(binary.BigEndian, 6)} {
		f.Add(seed)
	}
	f.Add(withEXIF(f, jpegOf(f, img), 6))
	f.Add(withEXIF(f, pngOf(f, img), 8))
	limits := image.Limits{Bytes: 1 << 16, Pixels: 1 << 16}
	f.Fuzz(func(t *testing.T, data []byte) {
		img, err := image.Decode(data, limits)
		if err != nil {
			return
		}
		if size := img.Bounds().Size(); size.X*size.Y > 1<<16 {
			t.Fatalf("%v pixels are decoded", size)
		}
		hash, quality := image.Of(img)
		if again, err := image.ParseHash(hash.String()); err != nil || again != hash || quality < 0 || quality > 100 {
			t.Fatalf("hash %v, quality %d, read again as %v, %v", hash, quality, again, err)
		}
		image.PHash(img)
		image.DHash(img)
	})
}

func BenchmarkRead(b *testing.B) {
	data := jpegOf(b, scene(480, 360))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := image.Read(data, image.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Limits that are not set have their defaults.
func TestLimitsOrDefault(t *testing.T) {
	for _, c := range []struct{ set, want image.Limits }{
		{image.Limits{}, image.Limits{Bytes: 20 << 20, Pixels: 40_000_000}},
		{image.Limits{Pixels: 7}, image.Limits{Bytes: 20 << 20, Pixels: 7}},
		{image.Limits{Bytes: 5, Pixels: 7}, image.Limits{Bytes: 5, Pixels: 7}},
	} {
		if got := c.set.OrDefault(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.set, got, c.want)
		}
	}
}
