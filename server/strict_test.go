package server

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzCheckJSON: whatever the bytes, checkJSON ends; and of what it lets
// through, every object that a parser sees has its keys once.
func FuzzCheckJSON(f *testing.F) {
	for _, s := range []string{`{"a":1,"A":2}`, `{"a":[{"b":"\ud83d\ude00"}]}`, `"\ud800"`, `{"a":"\\ud800","b":1}`, `{"k":1,"K":2}`, `[[[[`, `{"a`, `"\u`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if checkJSON(data) != nil || !json.Valid(data) {
			return
		}
		if depth, twice := audit(json.NewDecoder(strings.NewReader(string(data)))); depth > maxDepth || twice {
			t.Errorf("depth %d, a key twice: %v", depth, twice)
		}
		var v any
		if err := json.Unmarshal(data, &v); err == nil && strings.ContainsRune(toString(v), '\ufffd') && !strings.ContainsRune(string(data), '\ufffd') && !strings.Contains(strings.ToLower(string(data)), `\ufffd`) {
			t.Error("half of a surrogate pair came through")
		}
	})
}

func toString(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// audit reads tokens as Go's own decoder sees them.
func audit(d *json.Decoder) (depth int, twice bool) {
	type level struct {
		object, value bool
		keys          map[string]bool
	}
	var open []level
	for {
		tok, err := d.Token()
		if err != nil {
			return depth, twice
		}
		n := len(open)
		if delim, ok := tok.(json.Delim); ok {
			switch delim {
			case '{', '[':
				if n > 0 {
					open[n-1].value = false
				}
				open = append(open, level{object: delim == '{', keys: map[string]bool{}})
				depth = max(depth, len(open))
			default:
				open = open[:n-1]
			}
			continue
		}
		if n == 0 || !open[n-1].object {
			continue
		}
		if top := &open[n-1]; top.value {
			top.value = false
		} else if key, ok := tok.(string); ok {
			twice = twice || top.keys[fold(key)]
			top.keys[fold(key)], top.value = true, true
		}
	}
}

func BenchmarkCheckJSON(b *testing.B) {
	data := []byte(`{"nid":"1","url":"http://a.example","title":"t","content":"` + strings.Repeat("海量网络 text ", 170) + `"}`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := checkJSON(data); err != nil {
			b.Fatal(err)
		}
	}
}
