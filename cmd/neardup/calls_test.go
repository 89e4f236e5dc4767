//go:build full

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func frameOf(body string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body
}

// answersOf runs worker calls and returns its answers by the ids of the calls.
func answersOf(t *testing.T, input string) (answers map[uint64]called, code int, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), []string{"worker", "calls"}, strings.NewReader(input), &out, &errs)
	answers = map[uint64]called{}
	for {
		frame, err := readFrame(&out)
		if err == io.EOF {
			return answers, code, errs.String()
		}
		var a called
		if err == nil {
			err = json.Unmarshal(frame, &a)
		}
		if err != nil {
			t.Fatal(err)
		}
		answers[a.ID] = a
	}
}

// A method that reads a file is made again for each call, because the file may have changed.
func TestCallsReadFilesAgain(t *testing.T) {
	words := filepath.Join(t.TempDir(), "words")
	c := calls{methods: map[string]calledMethod{}}
	spec := func() string {
		t.Helper()
		m, err := c.method([]string{"--method=simhash features=keywords stopwords=" + words})
		if err != nil {
			t.Fatal(err)
		}
		return m.Spec().String()
	}
	write(t, words, []byte("the\n"))
	first := spec()
	write(t, words, []byte("and\n"))
	if first == spec() {
		t.Errorf("the stop words of the first call are kept: %s", first)
	}
	if _, err := c.method(nil); err != nil || len(c.methods) != 1 {
		t.Errorf("%d methods kept, %v", len(c.methods), err)
	}
}

// Each call has its answer, and a wrong call does not disturb the others.
func TestCalls(t *testing.T) {
	tests := []struct {
		call string
		code int
		says string // a part of the answer
	}{
		{`"do":"compare","text":"the ferry leaves at nine","known":["the ferry leaves at ten"]`, 0, `"relation":"variant"`},
		{`"do":"compare","text":"a <b>","known":["A <b>"],"flags":["--method=exact"]`, 0, `"equal":true`},
		{`"do":"compare","text":"a"`, exitUsage, "0 known texts (want 1)"},
		{`"do":"compare","text":"a","known":["b"],"flags":["--threshol=1"]`, exitUsage, "unknown flag: --threshol; did you mean --threshold?"},
		{`"do":"compare","text":"a","known":["b"],"flags":["--method=minhash recall=2"]`, exitUsage, "recall"},
		{`"do":"compare","text":"a","known":["b"],"flags":["--idf=no-such-file"]`, exitFailed, "no-such-file: no such file"},
		{`"do":"check","text":"the user is not allergic","known":["another fact","the user is allergic"]`, 0, `"verdict":"contradiction"`},
		{`"do":"check","text":" "`, exitFailed, "no words"},
		{`"do":"open","flags":["--method=minhash"]`, 0, "1"},
		{`"do":"add","index":7,"text":"a"`, exitFailed, "not open"},
		{`"do":"dance"`, exitUsage, `unknown call "dance"`},
		{`"index":-1`, -1, "cannot unmarshal number -1"},
	}
	for _, test := range tests {
		answers, code, stderr := answersOf(t, frameOf(`{"id":1,`+test.call+`}`)+frameOf(`{"id":2,"do":"check","text":"a","known":["a"]}`))
		if test.code == -1 { // what is not a call ends the process
			if code != exitFailed || !strings.Contains(stderr, test.says) {
				t.Errorf("%s: %d %s", test.call, code, stderr)
			}
			continue
		}
		got := answers[1]
		out, err := json.Marshal(got.Out)
		if err != nil || code != 0 || got.Code != test.code || !strings.Contains(string(out)+got.Error, test.says) {
			t.Errorf("%s: %+v %v, want %d %s", test.call, got, err, test.code, test.says)
		}
		if out := fmt.Sprint(answers[2].Out); !strings.Contains(out, "duplicate") {
			t.Errorf("after %s: %s", test.call, out)
		}
	}
}

// Frames that end too soon, or are longer than the bound, end the process with a reason.
func TestCallsRefusesFrames(t *testing.T) {
	for input, says := range map[string]string{
		"":                      "",
		"\xff\xff\xff\xffa":     "call of 4294967295 bytes (want at most 1073741824)",
		"\x00\x00":              "unexpected EOF",
		frameOf(`{"id":1}`)[:4]: "unexpected EOF",
		frameOf(`{"id":1}`)[:6]: "unexpected EOF",
		frameOf("{"):            "unexpected end of JSON",
	} {
		if _, code, stderr := answersOf(t, input); (code != 0) != (says != "") || !strings.Contains(stderr, says) {
			t.Errorf("%q: %d %s, want %q", input, code, stderr, says)
		}
	}
}
