//go:build full && (linux || darwin)

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// A signal ends a run whose standard input is silent: the context here, which
// the signal ends, is over before anything was written to the pipe.
func TestSilentInputCanBeInterrupted(t *testing.T) {
	inherited := func(fds []int, err error) (*os.File, *os.File) {
		if err != nil {
			t.Fatal(err)
		}
		return os.NewFile(uintptr(fds[0]), fmt.Sprint("/dev/fd/", fds[0])), os.NewFile(uintptr(fds[1]), "")
	}
	for name, input := range map[string]func() (r, w *os.File){
		"pipe": func() (*os.File, *os.File) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			return r, w
		},
		"inherited pipe": func() (*os.File, *os.File) {
			fds := make([]int, 2)
			return inherited(fds, syscall.Pipe(fds))
		},
		"inherited socket": func() (*os.File, *os.File) {
			fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			return inherited(fds[:], err)
		},
	} {
		if name != "pipe" && runtime.GOOS != "linux" {
			continue
		}
		for _, args := range [][]string{{"dedup", "-"}, {"pairs", "-"}, {"dedup", "--format", "jsonl", "-"}, {"fingerprint", "-"}} {
			r, w := input()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				if args[1] == "--format" { // also interrupted in the middle
					io.WriteString(w, "{\"text\":\"a\"}\n")
				}
				cancel()
			}()
			var stderr bytes.Buffer
			if code := run(ctx, args, r, io.Discard, &stderr); code != 130 || !strings.Contains(stderr.String(), "interrupted") {
				t.Errorf("%s, %q: exit code %d, %s", name, args, code, &stderr)
			}
			w.Close()
			r.Close()
		}
	}
}

// zstd returns nothing before the end of a block, and a block may be longer than the bytes that detect the
// format.
func TestCompressedStandardInput(t *testing.T) {
	var packed bytes.Buffer
	z, _ := zstd.NewWriter(&packed, zstd.WithEncoderLevel(zstd.SpeedFastest))
	for i := range 4000 {
		line := bytes.Repeat([]byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676%26)}, 3)
		z.Write(append(append([]byte(`{"id":"`), append(line, `","text":"x`...)...), append(line, "\"}\n"...)...))
	}
	z.Close()
	var out, stderr bytes.Buffer
	code := run(t.Context(), []string{"dedup", "-", "--json", "--method", "exact"}, &packed, &out, &stderr)
	if code != exitDone || !strings.Contains(out.String(), `"documents": 4000`) || !strings.Contains(out.String(), `"rejected": 0`) {
		t.Errorf("exit code %d, %s%s", code, &out, &stderr)
	}
	code = run(t.Context(), []string{"dedup", "-"}, bytes.NewReader([]byte("\x28\xb5\x2f\xfd\x04\x00junk junk junk")), &out, &stderr)
	if code != exitFailed || !strings.Contains(stderr.String(), "the rest of the file cannot be read") {
		t.Errorf("damaged: exit code %d, %s", code, &stderr)
	}
}

// If its reader closes, as head does, the run ends without a message and leaves no file.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.jsonl")
	var lines bytes.Buffer
	for i := range 20000 {
		fmt.Fprintf(&lines, "{\"id\":%d,\"text\":\"text %d\"}\n", i, i)
	}
	if err := os.WriteFile(in, lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"fingerprint", in, "-q", "--rejects", filepath.Join(dir, "rejects.jsonl")}, strings.NewReader(""), w, &stderr)
	w.Close()
	left, _ := os.ReadDir(dir)
	if code != exitPipe || stderr.Len() > 0 || len(left) != 1 {
		t.Errorf("exit code %d, %q, %v", code, &stderr, left)
	}
}
