package server

import (
	"net/url"
	"strings"
)

// formValue returns one value of a query or form. It returns false if the value is missing, invalid or
// repeated.
func formValue(form, name string) ([]byte, bool) {
	var value string
	found := false
	for part := range strings.SplitSeq(form, "&") {
		k, v, _ := strings.Cut(part, "=")
		if k != name {
			continue
		}
		decoded, err := url.QueryUnescape(v)
		if err != nil || found {
			return nil, false
		}
		value, found = decoded, true
	}
	return []byte(value), found
}
