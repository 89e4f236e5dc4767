package image

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// oriented shows a stored picture in another orientation.
type oriented struct {
	image.Image
	as int // the EXIF orientation, 2 to 8
}

func orient(img image.Image, as int) image.Image {
	if as < 2 || as > 8 {
		return img
	}
	return &oriented{img, as}
}

// Bounds returns bounds that begin at 0, 0.
func (o *oriented) Bounds() image.Rectangle {
	w, h := o.Image.Bounds().Dx(), o.Image.Bounds().Dy()
	if o.as >= 5 {
		w, h = h, w
	}
	return image.Rect(0, 0, w, h)
}

// At returns the colour of a pixel.
func (o *oriented) At(x, y int) color.Color {
	b := o.Image.Bounds()
	x, y = o.stored(x, y, b.Dx(), b.Dy())
	return o.Image.At(b.Min.X+x, b.Min.Y+y)
}

// stored returns the stored coordinates of the pixel shown at x, y. w and h are the stored size.
func (o *oriented) stored(x, y, w, h int) (int, int) {
	if o.as >= 5 {
		x, y = y, x
	}
	switch o.as {
	case 2, 3, 7, 8:
		x = w - 1 - x
	}
	switch o.as {
	case 3, 4, 6, 7:
		y = h - 1 - y
	}
	return x, y
}

// orientation returns the EXIF orientation of a file, 1 to 8, or 1 if it has none.
func orientation(data []byte) int {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		return ofJPEG(data[2:])
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return ofChunks(data[8:], "eXIf", binary.BigEndian, 0, 12)
	case bytes.HasPrefix(data, []byte("RIFF")) && len(data) >= 12:
		return ofChunks(data[12:], "EXIF", binary.LittleEndian, 4, 8)
	}
	return ofTIFF(data)
}

// ofJPEG reads the orientation from the segments before the picture.
func ofJPEG(data []byte) int {
	for len(data) >= 4 && data[0] == 0xff && data[1] != 0xda {
		size := 2 + int(binary.BigEndian.Uint16(data[2:]))
		if size > len(data) || size < 4 {
			break
		}
		if exif, ok := bytes.CutPrefix(data[4:size], []byte("Exif\x00\x00")); ok && data[1] == 0xe1 {
			return ofTIFF(exif)
		}
		data = data[size:]
	}
	return 1
}

// ofChunks reads the orientation from the chunks of PNG (length, name, content, checksum) or of WebP (name, length, content
// padded to an even length). The content may have 2^31 bytes.
func ofChunks(data []byte, name string, order binary.ByteOrder, lengthAt, overhead int) int {
	for len(data) >= overhead {
		size := int64(order.Uint32(data[lengthAt:]))
		chunk := data[4-lengthAt:][:4]
		if size > int64(len(data)-overhead) {
			break
		}
		if string(chunk) == name {
			return ofTIFF(bytes.TrimPrefix(data[8:8+size], []byte("Exif\x00\x00")))
		}
		if lengthAt == 4 {
			size += size & 1
		}
		data = data[min(int64(overhead)+size, int64(len(data))):]
	}
	return 1
}

// ofTIFF reads the orientation from tag 274 of the first directory.
func ofTIFF(data []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(data, []byte("MM\x00*")):
		order = binary.BigEndian
	case !bytes.HasPrefix(data, []byte("II*\x00")):
		return 1
	}
	const tag, short, row = 274, 3, 12
	if len(data) < 8 {
		return 1
	}
	at := int64(order.Uint32(data[4:]))
	if at > int64(len(data))-2 {
		return 1
	}
	rows := data[at+2:]
	for range order.Uint16(data[at:]) {
		if len(rows) < row {
			break
		}
		if order.Uint16(rows) == tag && order.Uint16(rows[2:]) == short {
			if v := int(order.Uint16(rows[8:])); v >= 1 && v <= 8 {
				return v
			}
			break
		}
		rows = rows[row:]
	}
	return 1
}
