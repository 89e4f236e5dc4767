package batch

import (
	"encoding/binary"
	"net/url"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/zeebo/xxh3"
)

// PerSite is the field of Config.Per that stands for the host of a document's URL, without "www.".
const PerSite = "site"

// Fields returns the names of the Document.Fields that decisions depend on.
func (c Config) Fields() []string {
	names := c.Keep.Fields()
	for _, name := range c.Per {
		if name != PerSite && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// group returns a hash of the values of a document in the fields of Per, or 0 without Per. Texts of different
// groups have different digests and keys, so they are never compared.
func (c Config) group(doc *neardup.Document) uint64 {
	if len(c.Per) == 0 {
		return 0
	}
	var b []byte
	for _, name := range c.Per {
		value := doc.Fields[name]
		if name == PerSite {
			value = siteOf(doc.URL)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(len(value)))
		b = append(b, value...)
	}
	return max(xxh3.Hash(b), 1)
}

// siteOf returns the host of an address in lower case, or "" if there is none. Crawls also contain addresses
// without "https://".
func siteOf(address string) string {
	address = strings.TrimSpace(address)
	if host, _, _ := strings.Cut(address, "/"); strings.Contains(host, ".") {
		address = "//" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}

// digestIn returns the digest of a text in a group.
func digestIn(clean string, group uint64) neardup.Digest {
	d := neardup.DigestOf(clean)
	binary.LittleEndian.PutUint64(d[:], binary.LittleEndian.Uint64(d[:])^group)
	return d
}

// groupOf returns the group of a text from its text and digest.
func groupOf(clean string, digest neardup.Digest) uint64 {
	return neardup.DigestOf(clean).Key() ^ digest.Key()
}

// moveInto moves postings into a group, by changing their keys.
func moveInto(postings []Posting, group uint64) {
	if group == 0 {
		return
	}
	for i, p := range postings {
		postings[i] = NewPosting(feature.Mix(p.Key()^group), p.Sketch(), p.Text(), p.Role())
	}
}
