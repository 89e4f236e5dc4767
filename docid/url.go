package docid

import (
	"net"
	"net/url"
	"path"
	"sort"
	"strings"
)

// NormalizeURL returns the form under which two addresses count as one page. It returns "" unless the address is an
// absolute http or https address, and "" never matches.
//
// It follows RFC 3986, 6.2: scheme and host in lower case, a final dot of the host and a default port dropped, dot segments
// resolved, escapes made uniform. It also ignores differences that do not change the page: http instead of https, user
// information, a trailing slash, the order of different query parameters, and parameters that only track readers (see
// tracking). It drops the fragment, unless that starts with "!" or "/", because single-page sites keep the address of the
// article there. It keeps the case of path and query, "www." and "m.", because another form can be another page. It is
// idempotent. O(n log n).
func NormalizeURL(raw string) string {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" || u.Opaque != "" {
		return ""
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return ""
	}
	host := normalHost(u)
	if host == "" {
		return ""
	}
	s := "https://" + host + normalPath(u)
	if q := normalQuery(u.RawQuery); q != "" {
		s += "?" + q
	}
	if f := u.EscapedFragment(); strings.HasPrefix(f, "!") || strings.HasPrefix(f, "/") {
		s += "#" + f
	}
	return s
}

// normalHost returns the host in lower case, without a final dot and the default port.
func normalHost(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	host = strings.TrimRight(host, ".")
	if host == "" || strings.ContainsAny(host, " /?#@\\%<>^`{|}\x00") || !plain(host) {
		return ""
	}
	if port == "" || port == "80" || port == "443" {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}

// plain reports whether s has no control character.
func plain(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }) < 0
}

// normalPath resolves dot segments and doubled slashes in the decoded path, and escapes it again. So %7E and ~ are equal.
func normalPath(u *url.URL) string {
	if strings.Contains(strings.ToLower(u.EscapedPath()), "%2f") {
		return strings.TrimRight(u.EscapedPath(), "/") // %2F is not a slash
	}
	p := path.Clean("/" + u.Path)
	if p == "/" {
		return ""
	}
	return (&url.URL{Path: p}).EscapedPath()
}

// normalQuery sorts parameters by name and drops those that only track readers. Parameters with one name keep their order.
func normalQuery(raw string) string {
	var kept []string
	for _, part := range strings.Split(raw, "&") {
		if name, _, _ := strings.Cut(part, "="); part != "" && !tracking(name) {
			kept = append(kept, escapes(part))
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return paramName(kept[i]) < paramName(kept[j]) })
	return strings.Join(kept, "&")
}

func paramName(part string) string {
	name, _, _ := strings.Cut(part, "=")
	return name
}

// escapes converts the digits of every %xx to upper case.
func escapes(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToUpper(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// tracking reports whether a parameter only records where a reader came from, so it does not change the page. It knows the
// published names of advertising networks, analytics and sharing buttons. Names that some sites use for content (id, ref,
// source, from, spm) are not among them.
func tracking(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "hsa_") || strings.HasPrefix(name, "mtm_") {
		return true
	}
	switch name {
	case "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "ysclid",
		"twclid", "ttclid", "igshid", "igsh", "li_fat_id", "mc_cid", "mc_eid", "_ga", "_gl",
		"_hsenc", "_hsmi", "__hstc", "__hssc", "__hsfp", "hsctatracking", "vero_id", "wickedid",
		"oly_anon_id", "oly_enc_id", "mkt_tok", "s_cid", "bd_vid", "qhclickid":
		return true
	}
	return false
}
