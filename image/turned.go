package image

import "image"

// Turns is the number of turns of a picture: four rotations of the picture and of its mirror image.
const Turns = 8

// Turned returns the hashes of a picture in all its turns, and its quality. The first hash is that of the unturned picture.
// Then follow the rotations counter-clockwise by 90, 180 and 270 degrees, and the mirror images top to bottom, left to
// right, and about both diagonals. They are computed from the frequencies of the picture, because mirroring only changes
// the sign of odd ones.
func Turned(img image.Image) ([Turns]Hash, int) {
	s, quality := spectrumOf(img)
	var all [Turns]Hash
	for i, t := range turns {
		turned := t.of(&s)
		all[i] = turned.hash()
	}
	return all, quality
}

// turn describes the effect of a turn on the frequencies.
type turn struct {
	name                         string
	transposed, negateX, negateY bool // the signs change before the transposition
}

// turns has the order of the reference. The signs apply to the frequencies 1, 3, 5, ..., because mirroring only changes
// waves with an odd number of half periods.
var turns = [Turns]turn{
	{},
	{"turned by a quarter", true, true, false},
	{"turned by a half", false, true, true},
	{"turned by a quarter", true, false, true},
	{"mirrored top to bottom", false, false, true},
	{"mirrored left to right", false, true, false},
	{"mirrored about a diagonal", true, false, false},
	{"mirrored about a diagonal", true, true, true},
}

func (t turn) of(s *spectrum) (out spectrum) {
	for y := range frequencies {
		for x := range frequencies {
			v := s[y*frequencies+x]
			if (t.negateX && x%2 == 0) != (t.negateY && y%2 == 0) {
				v = -v
			}
			at := y*frequencies + x
			if t.transposed {
				at = x*frequencies + y
			}
			out[at] = v
		}
	}
	return out
}
