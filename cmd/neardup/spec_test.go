//go:build full

package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A flag with settings takes the last value as a whole, and reports what is wrong with a value.
func TestSpec(t *testing.T) {
	for values, want := range map[string]string{
		"near":                            "near 0.9 0.2",
		"near threshold=.5":               "near 0.5 0.2",
		"near threshold=.5|exact":         "exact 0.9 0.2",
		"agrees=0|off agrees=1|agrees=.3": "exact 0.9 0.3",
		"near far":                        `invalid setting "far" (want NAME=VALUE)`,
		"near threshold=x":                `threshold "x": invalid (want a number)`,
		"near threshold=-1":               `threshold "-1": too small (want at least 0)`,
		"near colour=1":                   `unknown setting "colour" (want agrees, threshold)`,
		"near agrees=1 agrees=1":          "agrees is given twice",
	} {
		var f indexFlags
		fs := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		f.add(fs)
		var err error
		for value := range strings.SplitSeq(values, "|") {
			err = fs.Set("title", value)
			if err != nil {
				break
			}
		}
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			setting := func(name string) string { return setting(fs, "title", name).Value.String() }
			got = setting("mode") + " " + setting("threshold") + " " + setting("agrees")
		}
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", values, got, want)
		}
	}
}

// --write names a kind, its options and a file, each kind once.
func TestWrites(t *testing.T) {
	for values, want := range map[string]string{
		"groups:a.csv":                          "",
		"groups,bom,sep=;:C:/a.csv":             "",
		"groups:a.csv clusters,text:b.jsonl":    "",
		"groups:a.csv groups:b.csv":             "groups is given twice",
		"groups":                                `"groups": invalid (want groups:FILE)`,
		"groups:":                               `"groups:": invalid (want groups:FILE)`,
		"rows:a.csv":                            `"rows:a.csv": invalid (want KIND:FILE, with KIND one of clusters, groups, report`,
		"report,colour:a.html":                  `report has no option "colour"`,
		"dolma,bom:a":                           `dolma has no option "bom"`,
		"report,floor=.6,labels=l.tsv:a.html":   "",
		"groups,raw:a.csv report,floor=1:b.htm": "",
	} {
		w := writes{kinds: dedupKinds}
		var err error
		for value := range strings.FieldsSeq(values) {
			err = w.Set(value)
			if err != nil {
				break
			}
		}
		if (want == "" && err != nil) || (want != "" && (err == nil || !strings.HasPrefix(err.Error(), want))) {
			t.Errorf("%s: %v, want %s", values, err, want)
		}
	}
	w := writes{kinds: dedupKinds}
	if err := w.Set("groups,bom,sep=;:C:/a.csv"); err != nil || w.path("groups") != "C:/a.csv" || w.option("groups", "sep") != ";" {
		t.Errorf("%v, %+v", err, w)
	}
	if style, err := w.style("groups"); err != nil || !style.BOM || style.Comma != ';' || style.Raw {
		t.Errorf("%+v, %v", style, err)
	}
}

// The settings of --format go to Spark with it.
func TestSparkFormat(t *testing.T) {
	for format, want := range map[string]string{"auto": "auto", "csv delimiter=;": "csv delimiter=;", "charset=gb18030": "auto charset=gb18030"} {
		v := &sparkVerb{app: &app{}, verb: "pairs"}
		fs := pflag.NewFlagSet("pairs", pflag.ContinueOnError)
		new(app).bindVerb(fs, "spark pairs", reflect.ValueOf(v))
		if err := fs.Parse([]string{"--format", format, "--out", "out"}); err != nil {
			t.Fatal(err)
		}
		job, err := v.job(fs, []string{"in"})
		if err != nil || job.Format != want || len(job.Input) != 0 {
			t.Errorf("%s: %q %q, %v", format, job.Format, job.Input, err)
		}
	}
}
