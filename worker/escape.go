package worker

import "strings"

var escapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// Escape converts a text to a field: backslash, tab, newline and return become \\, \t, \n and \r.
func Escape(s string) string { return escapes.Replace(s) }
