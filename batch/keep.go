package batch

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/internal/external"
)

// Keep is the order in which documents are decided, so that the first of several near-duplicates is kept. It is a list of
// keys, separated by semicolons. The first key in which two documents differ orders them. If all keys are equal, the id
// orders them, then the text. So the order depends on the documents alone, and only the key "first" uses the order of the
// input.
//
// Keys are longest and shortest (by the runes of clean text), earliest and latest (by Document.Time), https and
// shortest-url (by Document.URL), smallest-id (also id), "source:wiki,news,*" (by Document.Fields["source"]: the values in
// this order, * for all others, last if missing), "largest score" and "smallest score" (by the number in a field).
// Documents that lack a value come last.
type Keep string

// KeepKeys lists the keys for messages.
const KeepKeys = "first, longest, shortest, earliest, latest, https, shortest-url, smallest-id, FIELD:value,value,*, 'largest FIELD', 'smallest FIELD'"

// Orders of a single key.
const (
	First    Keep = "first"    // the order of the input
	Longest  Keep = "longest"  // most runes of clean text
	Earliest Keep = "earliest" // smallest Document.Time
	ByID     Keep = "id"       // ids in the order of their bytes
)

// keepKey is one key. Documents with smaller numbers are decided first.
type keepKey struct {
	name  string
	field string // a field of Document.Fields; "" if the key uses none
	rank  func(it *scanned, value string) uint64
}

// last is the number of a missing value.
const last = math.MaxUint64

// keepKeys are the keys without a field.
var keepKeys = []keepKey{
	{name: "longest", rank: func(it *scanned, _ string) uint64 { return last - uint64(utf8.RuneCountInString(it.clean)) }},
	{name: "shortest", rank: func(it *scanned, _ string) uint64 { return uint64(utf8.RuneCountInString(it.clean)) }},
	{name: "earliest", rank: func(it *scanned, _ string) uint64 { return timeRank(it.doc.Time) }},
	{name: "latest", rank: func(it *scanned, _ string) uint64 {
		if it.doc.Time == 0 {
			return last
		}
		return last - timeRank(it.doc.Time)
	}},
	{name: "https", rank: func(it *scanned, _ string) uint64 {
		if strings.HasPrefix(strings.ToLower(it.doc.URL), "https://") {
			return 0
		}
		return 1
	}},
	{name: "shortest-url", rank: func(it *scanned, _ string) uint64 {
		if it.doc.URL == "" {
			return last
		}
		return uint64(len(it.doc.URL))
	}},
}

// timeRank orders times; unknown ones come last.
func timeRank(t int64) uint64 {
	if t == 0 {
		return last
	}
	return uint64(t) ^ 1<<63
}

// keepOrder is a parsed Keep.
type keepOrder struct {
	keys  []keepKey
	input bool // ties are broken by the order of the input instead of the id
}

// parse reads a list of keys.
func (k Keep) parse() (o keepOrder, err error) {
	ended := ""
	for _, key := range strings.Split(string(k), ";") {
		key = strings.TrimSpace(key)
		if ended != "" {
			return o, fmt.Errorf("%q has no effect, because %s leaves no ties", key, ended)
		}
		switch key {
		case "first":
			ended, o.input = key, true
			continue
		case "id", "smallest-id":
			ended = key
			continue
		}
		one, ok := parseKey(key)
		if !ok {
			return o, fmt.Errorf("%q: invalid (want %s)", key, KeepKeys)
		}
		o.keys = append(o.keys, one)
	}
	return o, nil
}

func parseKey(key string) (one keepKey, ok bool) {
	if i := slices.IndexFunc(keepKeys, func(k keepKey) bool { return k.name == key }); i >= 0 {
		return keepKeys[i], true
	}
	if field, list, found := strings.Cut(key, ":"); found && field != "" && list != "" {
		values := strings.Split(list, ",")
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		return keepKey{field, field, func(_ *scanned, value string) uint64 { return indexIn(values, value) }}, true
	}
	way, field, found := strings.Cut(key, " ")
	if !found || (way != "largest" && way != "smallest") {
		return one, false
	}
	return keepKey{key, strings.TrimSpace(field), func(_ *scanned, value string) uint64 { return numberRank(value, way == "largest") }}, true
}

// indexIn returns the index of a value in a list, in which * stands for values not listed.
func indexIn(values []string, value string) uint64 {
	at := slices.Index(values, value)
	if at < 0 || value == "*" {
		at = slices.Index(values, "*")
	}
	if at < 0 {
		at = len(values)
	}
	return uint64(at)
}

// numberRank orders numbers. Other values come last.
func numberRank(value string, largest bool) uint64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || math.IsNaN(x) {
		return last
	}
	rank := math.Float64bits(x + 0) // -0 is 0
	if rank>>63 == 0 {
		rank |= 1 << 63
	} else {
		rank = ^rank
	}
	if largest {
		return ^rank
	}
	return rank
}

// Check returns an error if k is invalid.
func (k Keep) Check() error {
	_, err := k.parse()
	return err
}

// Fields returns the names of the Document.Fields that the keys use.
func (k Keep) Fields() (names []string) {
	o, err := k.parse()
	if err != nil {
		return nil // Check returns the error
	}
	for _, key := range o.keys {
		if key.field != "" && !slices.Contains(names, key.field) {
			names = append(names, key.field)
		}
	}
	return names
}

// of returns the rank of a document by each key.
func (o *keepOrder) of(it *scanned) []uint64 {
	all := make([]uint64, len(o.keys))
	for i, key := range o.keys {
		all[i] = key.rank(it, it.doc.Fields[key.field])
	}
	return all
}

// preferred stores the numbers of all documents, to find which key decided.
type preferred struct {
	keepOrder
	ranks *external.Array[uint64] // item i has the numbers from i times the number of keys on
}

// add takes the numbers of an item.
func (p *preferred) add(i item, ranks []uint64) error {
	for k, r := range ranks {
		if err := p.ranks.Put(int(i)*len(p.keys)+k, r); err != nil {
			return err
		}
	}
	return nil
}

// key returns the name of the first key in which two items differ, the id last, or "" if all are equal.
func (p *preferred) key(a, b item, sameID bool) (string, error) {
	if p == nil {
		return "", nil
	}
	for k, key := range p.keys {
		x, err := p.ranks.Get(int(a)*len(p.keys) + k)
		if err != nil {
			return "", err
		}
		y, err := p.ranks.Get(int(b)*len(p.keys) + k)
		if err != nil {
			return "", err
		}
		if x != y {
			return key.name, nil
		}
	}
	if p.input || sameID {
		return "", nil
	}
	return "smallest-id", nil
}
