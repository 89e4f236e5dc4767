package server

import (
	"net/url"
	"reflect"
	"strings"
)

// formValue finds one value in a query or a form; false where it is missing,
// broken or there twice.
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

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }
