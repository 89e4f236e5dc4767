package corpus

import "testing"

func TestParseTime(t *testing.T) {
	const day = 86400e9
	for in, want := range map[string]int64{
		"": 0, "0": 0, "1": 1e9, "-1": -1e9, "1700000000": 1700000000e9, "1700000000.5": 17000000005e8,
		"1700000000000": 1700000000e9, "1700000000000000": 1700000000e9, "1700000000000000001": 1700000000000000001,
		"1970-01-02": day, "1970-01-02T00:00:00Z": day, "1970-01-02T01:00:00+01:00": day,
		"1970-01-02 00:00:01": day + 1e9, "1970-01-02T00:00:01": day + 1e9, " 1970-01-02 ": day, "1970-01-02T00:00:00.25Z": day + 25e7,
		"1970/01/02": day,
	} {
		if got, err := ParseTime(in); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"yesterday", "1970-13-01", "NaN", "Inf", "1e300", "9999-01-01", "0001-01-01"} {
		if got, err := ParseTime(in); err == nil {
			t.Errorf("%q: %d, want an error", in, got)
		}
	}
}
