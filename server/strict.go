package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth is how deep JSON may be nested.
const maxDepth = 32

// decodeStrict is json.Unmarshal for what strangers send: valid UTF-8, no half
// of a surrogate pair, at most maxDepth deep, and no key twice in an object,
// not in another case either: Go's decoder would take the last of them,
// another program the first.
func decodeStrict(data []byte, v any) error {
	if err := checkJSON(data); err != nil {
		return err
	}
	return plainly(json.Unmarshal(data, v))
}

// errMisfit says that a value is of another kind, or out of range.
var errMisfit = errors.New("does not fit")

// plainly words an error of a value in the terms of the request: types of Go
// are nobody's business.
func plainly(err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err
	}
	if kind.Field == "" {
		return fmt.Errorf("%s %w", kind.Value, errMisfit)
	}
	return fmt.Errorf("%s: %s %w", kind.Field, kind.Value, errMisfit)
}

// checkJSON walks JSON once. It relies on a parser after it: of what is no
// JSON it only promises to end. O(n), and O(keys) memory.
func checkJSON(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("the body is not valid UTF-8")
	}
	var open []object
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			if len(open) == maxDepth {
				return fmt.Errorf("nested deeper than %d", maxDepth)
			}
			open = append(open, object{isObject: data[i] == '{', expectKey: data[i] == '{'})
		case '}', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case ',':
			if n := len(open); n > 0 {
				open[n-1].expectKey = open[n-1].isObject
			}
		case '"':
			end, err := endOfString(data, i)
			if err != nil {
				return err
			}
			if n := len(open); n > 0 && open[n-1].expectKey {
				if err := open[n-1].key(data[i:end]); err != nil {
					return err
				}
			}
			i = end - 1
		}
	}
	return nil
}

// object is what is open around a position.
type object struct {
	isObject, expectKey bool
	few                 []string // folded keys seen; moves to many when it gets long
	many                map[string]bool
}

// fewKeys is how many keys are faster searched than hashed.
const fewKeys = 16

// key notes a key and refuses a second one that folds to the same.
func (o *object) key(quoted []byte) error {
	o.expectKey = false
	var k string
	if bytes.IndexByte(quoted, '\\') < 0 && len(quoted) > 1 {
		k = string(quoted[1 : len(quoted)-1])
	} else if json.Unmarshal(quoted, &k) != nil {
		return nil // the parser will say it better
	}
	k = fold(k)
	if slices.Contains(o.few, k) || o.many[k] {
		return errors.New("an object has a key twice")
	}
	if len(o.few) < fewKeys {
		o.few = append(o.few, k)
		return nil
	}
	if o.many == nil {
		o.many = map[string]bool{}
	}
	o.many[k] = true
	return nil
}

// fold makes keys equal that Go's decoder takes for the same.
func fold(k string) string {
	return strings.Map(func(r rune) rune {
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}, k)
}

// endOfString returns the index after the closing quote of the string that
// begins at i, or the end of data.
func endOfString(data []byte, i int) (int, error) {
	if n := bytes.IndexByte(data[i+1:], '"'); n >= 0 && bytes.IndexByte(data[i+1:i+1+n], '\\') < 0 {
		return i + n + 2, nil // the usual string: no escapes
	}
	high := false // the escape just before was the first half of a pair
	for i++; i < len(data); i++ {
		if data[i] == '\\' && i+1 < len(data) {
			if data[i+1] != 'u' {
				if high {
					break
				}
				i++
				continue
			}
			r, ok := hex4(data[i+2:])
			low := r >= 0xdc00 && r < 0xe000
			if ok && low != high {
				return 0, errors.New("a string has half of a surrogate pair")
			}
			high = ok && r >= 0xd800 && r < 0xdc00
			i += 5
			continue
		}
		if high {
			break
		}
		if data[i] == '"' {
			return i + 1, nil
		}
	}
	if high {
		return 0, errors.New("a string has half of a surrogate pair")
	}
	return len(data), nil
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
