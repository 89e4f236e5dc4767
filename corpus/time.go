package corpus

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseTime parses a time as Unix nanoseconds. It accepts RFC 3339, a date, a date and a time of day (UTC without a zone),
// or a number since 1970. The size of a number determines whether it counts seconds (up to 1e11, the year 5138),
// milliseconds, microseconds or nanoseconds. For "" it returns 0, which means unknown.
func ParseTime(s string) (int64, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return fromNumber(float64(n), n), nil
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(x) < 1e18 {
		return fromNumber(x, 0), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, time.DateTime,
		"2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006/01/02", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return fromTime(t)
		}
	}
	return 0, fmt.Errorf("invalid time %q (want RFC 3339, a date, or a Unix number)", clip(s))
}

// fromNumber scales a number to nanoseconds. exact is the number itself if it is an integer.
func fromNumber(x float64, exact int64) int64 {
	nanos, size := 1.0, math.Abs(x)
	switch {
	case size < 1e11:
		nanos = 1e9
	case size < 1e14:
		nanos = 1e6
	case size < 1e17:
		nanos = 1e3
	}
	if size >= math.MaxInt64/nanos {
		nanos = 1
	}
	if exact != 0 {
		return exact * int64(nanos)
	}
	return int64(x * nanos)
}

// fromTime returns Unix nanoseconds, or an error if they do not fit.
func fromTime(t time.Time) (int64, error) {
	if y := t.Year(); y < 1678 || y > 2261 {
		return 0, fmt.Errorf("time %s: out of range (want the years 1678 to 2261)", t.Format(time.RFC3339))
	}
	return t.UnixNano(), nil
}

// clip shortens a text that an error quotes.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}
