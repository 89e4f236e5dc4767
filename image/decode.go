//go:build !js

package image

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decoders that image.Decode uses
	"image/jpeg"
	_ "image/png"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// Limits limits the pictures that are decoded. 0 means the default.
type Limits struct {
	Bytes  int64 // size of the file
	Pixels int64
}

const (
	// DefaultBytes is the default limit of the size of a file.
	DefaultBytes = 20 << 20
	// DefaultPixels is the default limit of the pixels of a picture.
	DefaultPixels = 40_000_000
)

// OrDefault returns the limits with the defaults in place of 0.
func (l Limits) OrDefault() Limits {
	return Limits{cmp.Or(l.Bytes, DefaultBytes), cmp.Or(l.Pixels, DefaultPixels)}
}

var (
	// ErrLimit is wrapped by the error about a picture that is too large.
	ErrLimit = errors.New("too large")
	// ErrFormat is wrapped by the error about a file in a format without a decoder.
	ErrFormat = errors.New("unsupported format")
)

// Decode reads a JPEG, PNG, GIF (its first frame), WebP, BMP or TIFF, in its EXIF orientation. It checks the header first,
// so it never decodes a picture above the limits.
func Decode(data []byte, l Limits) (image.Image, error) {
	l = l.OrDefault()
	if int64(len(data)) > l.Bytes {
		return nil, fmt.Errorf("%w: %d bytes (want at most %d)", ErrLimit, len(data), l.Bytes)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if errors.Is(err, image.ErrFormat) {
		return nil, fmt.Errorf("%w: %s", ErrFormat, kindOf(data))
	}
	if err != nil {
		return nil, err
	}
	if int64(size.Width)*int64(size.Height) > l.Pixels {
		return nil, fmt.Errorf("%w: %d x %d pixels (want at most %d in all)", ErrLimit, size.Width, size.Height, l.Pixels)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return orient(img, orientation(data)), nil
}

// Read returns the fingerprint of a picture file.
func Read(data []byte, l Limits) (Fingerprint, error) {
	img, err := Decode(data, l)
	if err != nil {
		return Fingerprint{}, err
	}
	size, sum := img.Bounds().Size(), sha256.Sum256(data)
	f := Fingerprint{Width: size.X, Height: size.Y, File: hex.EncodeToString(sum[:])}
	f.Hashes, f.Quality = Turned(img)
	return f, nil
}

// Thumbnail returns a small version of a picture as JPEG, at most side pixels wide and high.
func Thumbnail(img image.Image, side int) ([]byte, error) {
	size := img.Bounds().Size()
	most := max(size.X, size.Y, side)
	small := image.NewNRGBA(image.Rect(0, 0, max(1, size.X*side/most), max(1, size.Y*side/most)))
	draw.ApproxBiLinear.Scale(small, small.Rect, img, img.Bounds(), draw.Src, nil)
	var b bytes.Buffer
	err := jpeg.Encode(&b, small, &jpeg.Options{Quality: 70})
	return b.Bytes(), err
}

// kindOf returns the name of a format without a decoder.
func kindOf(data []byte) string {
	if len(data) >= 12 && string(data[4:8]) == "ftyp" {
		switch brand := string(data[8:12]); brand {
		case "avif", "avis":
			return "AVIF"
		case "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1":
			return "HEIC"
		default:
			return fmt.Sprintf("a video or picture of type %q", brand)
		}
	}
	for _, k := range []struct{ magic, name string }{
		{"\xff\x0a", "JPEG XL"}, {"\x00\x00\x00\x0cJXL ", "JPEG XL"}, {"\x00\x00\x00\x0cjP  ", "JPEG 2000"},
		{"8BPS", "a Photoshop file"}, {"<svg", "SVG"}, {"<?xml", "XML"}, {"%PDF", "PDF"}, {"\x00\x00\x01\x00", "an icon"},
	} {
		if bytes.HasPrefix(data, []byte(k.magic)) {
			return k.name
		}
	}
	if len(data) == 0 {
		return "empty"
	}
	return "not a supported picture"
}
