package corpus

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

const head = "Message-ID: <1@x>\nFrom: a@b\nDate: Mon, 2 Jan 2006 15:04:05 +0100\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n"

func TestMails(t *testing.T) {
	nested := ""
	for i := range 20 {
		nested += fmt.Sprintf("Content-Type: multipart/mixed; boundary=m%d\n\n--m%d\n", i, i)
	}
	for _, c := range []struct{ name, content, want string }{
		{"a text", head + "\nA text.\n", `1 1@x|Grüße||"A text."`},
		{"without an id", "Subject: s\n\nA text.\n", `1 FILE:1|s||"A text."`},
		{"a charset", head + "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe\n", `1 1@x|Grüße||"Grüße"`},
		{"base64", head + "Content-Transfer-Encoding: base64\n\nQSB0\nZXh0\n", `1 1@x|Grüße||"A text"`},
		{"quoted parts and their introduction are apart", head + "\nYes.\n\nOn Monday a@b wrote:\n> Is it?\n>> Was it?\n\nNo.\n", `1 1@x|Grüße||"Yes.\n\n\nNo."`},
		{"a colon is not always an introduction", head + "\nNote:\nYes.\n> Is it?\n", `1 1@x|Grüße||"Note:\nYes."`},
		{"a message that only quotes", head + "\n> Is it?\n", `1 1@x|Grüße||"> Is it?"`},
		{"of alternatives the first, no attachments", head + "Content-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: multipart/alternative; boundary=a\n\n" +
			"--a\n\nA text.\n--a\nContent-Type: text/html\n\n<p>A page.\n--a--\n--m\nContent-Disposition: attachment; filename=a.txt\n\nno\n--m\n\nMore.\n--m--\n", `1 1@x|Grüße||"A text.\nMore."`},
		{"a page alone", head + "Content-Type: text/html\n\n<p>A page.", `1 1@x|Grüße||"A page."`},
		{"nested too deep", head + nested, "FILE:1: damaged mail: too many parts, or nested too deep (want at most 1000 parts, 16 levels)"},
		{"damaged base64", head + "Content-Transfer-Encoding: base64\n\n?\n", "FILE:1: damaged mail: "},
		{"not a mail", "A text.\n", "FILE:1: not a mail: "},
	} {
		path := put(t, t.TempDir(), "a.eml", c.content)
		if got := readAs(t, path, Options{Extract: tagless}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestMailboxes(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"messages, the last without an end", "From a\n" + head + "\nOne.\n\nFrom b\nSubject: s\n\n>From me.\nFrom here.\n\nTwo.", `1 1@x|Grüße||"One."` + "\n" + `9 FILE:9|s||"From me.\nFrom here.\n\nTwo."` + "\n"},
		{"line ends of Windows", "From a\r\nSubject: s\r\n\r\nOne.\r\n\r\nFrom b\r\nSubject: s\r\n\r\nTwo.\r\n", `1 FILE:1|s||"One."` + "\n" + `6 FILE:6|s||"Two."` + "\n"},
		{"one that is too long costs only itself", "From a\nSubject: s\n\n" + strings.Repeat("One.\n", 100000) + "\nFrom b\nSubject: s\n\nTwo.\n", "FILE:1: document: too long (want at most 1000 bytes)\n" + `100005 FILE:100005|s||"Two."` + "\n"},
		{"one that is damaged costs only itself", "From a\nx\n\nFrom b\nSubject: s\n\nTwo.\n", "FILE:1: not a mail: malformed header line: x\n" + `4 FILE:4|s||"Two."` + "\n"},
		{"not a mailbox", "Subject: s\n\nOne.\n", "FILE:1: a message does not begin with a line \"From \": the rest of the file cannot be read\n"},
		{"empty", "", ""},
	} {
		path := put(t, t.TempDir(), "a.mbox", c.content)
		if got := readAs(t, path, Options{MaxDocument: 1000}); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A mail has a time; a mailbox without a telling name is known.
func TestMailIsDetected(t *testing.T) {
	path := put(t, t.TempDir(), "inbox", "From a\n"+head+"\nOne.\n")
	r, err := Open([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for doc, err := range r.Documents() {
		if want := time.Date(2006, 1, 2, 14, 4, 5, 0, time.UTC).UnixNano(); err != nil || doc.Time != want || doc.ID != "1@x" {
			t.Errorf("%+v, %v", doc, err)
		}
	}
}

func FuzzMail(f *testing.F) {
	f.Add("From a\n" + head + "Content-Type: multipart/alternative; boundary=a\n\n--a\n\nA\n--a--\n\nFrom b\n" + head + "\n> quoted\n")
	f.Fuzz(func(t *testing.T, content string) {
		readAs(t, put(t, t.TempDir(), "a.mbox", content), Options{Extract: tagless, MaxDocument: 1 << 16})
	})
}

// The command is for files of formats that are not read, and gets their names.
func TestCommands(t *testing.T) {
	command := func(path string) (string, error) {
		if strings.HasSuffix(path, "bad.pdf") {
			return "", errors.New("it fails")
		}
		return "text of a command", nil
	}
	for _, c := range []struct {
		name, content string
		format        Format
		want          string
	}{
		{"a.pdf", "%PDF-1", Auto, `1 FILE|||"text of a command"` + "\n"},
		{"bad.pdf", "%PDF-1", Auto, "FILE:1: it fails\n"},
		{"a.txt", "plain", Auto, `1 FILE|||"plain"` + "\n"},
		{"a.txt", "plain", Files, `1 FILE|||"text of a command"` + "\n"},
		{"large.pdf", "%PDF-" + strings.Repeat("1", 100), Auto, `1 FILE|||"text of a command"` + "\n"},
	} {
		path := put(t, t.TempDir(), c.name, c.content)
		if got := readAs(t, path, Options{Format: c.format, MaxDocument: 50, Form: Form{Command: command}}); got != c.want {
			t.Errorf("%s as %s:\n got %s\nwant %s", c.name, c.format, got, c.want)
		}
	}
}

// Folders of Spark and Hive name fields; a field of the same name in the file takes precedence.
func TestPartitions(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "lang=en/day=2024%2F1/a.jsonl", `{"text":"x"}`+"\n"+`{"text":"y","lang":"fr"}`)
	put(t, dir, "lang=__HIVE_DEFAULT_PARTITION__/b.txt", "z")
	r, err := Open([]string{dir}, Options{Fields: []string{"lang", "day"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for doc, err := range r.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, doc.Text+doc.Fields["lang"]+doc.Fields["day"])
	}
	if want := "z xen2024/1 yfr2024/1"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := Open([]string{dir}, Options{Fields: []string{"language"}}); !errors.Is(err, ErrNoEffect) {
		t.Errorf("a field of no folder: %v", err)
	}
}
