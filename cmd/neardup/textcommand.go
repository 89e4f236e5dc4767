package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/neardup/neardup/text"
)

// commandTime is how long a command may take for one file.
const commandTime = time.Minute

// fileMark is the place of the file's name in a command.
const fileMark = "{}"

// textCommand returns a function that runs a command line for a file, without a shell, and returns what it prints,
// most bytes at most.
func textCommand(line string, most int64) (func(path string) (string, error), error) {
	words, err := commandWords(line)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(strings.Join(words[1:], " "), fileMark) {
		return nil, fmt.Errorf("%q does not name the file (want for example 'pdftotext {} -')", line)
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	return func(path string) (string, error) {
		if strings.HasPrefix(path, "-") {
			path = "." + string(filepath.Separator) + path // not a flag
		}
		args := slices.Clone(words[1:])
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], fileMark, path)
		}
		ctx, stop := context.WithTimeout(context.Background(), commandTime)
		defer stop()
		out, said := limitedBuffer{most: most, stop: stop}, limitedBuffer{most: 4 << 10}
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &said, time.Second
		err := cmd.Run()
		switch {
		case out.over:
			return "", fmt.Errorf("%s: it prints more than %d bytes", words[0], most)
		case ctx.Err() != nil:
			return "", fmt.Errorf("%s: not done after %s", words[0], commandTime)
		case err != nil:
			return "", fmt.Errorf("%s: %w %s", words[0], err, oneLine(strings.TrimSpace(said.buf.String())))
		}
		s, _, err := text.Decode(out.buf.Bytes(), "")
		return s, err
	}, nil
}

// limitedBuffer keeps the first bytes that are written to it.
type limitedBuffer struct {
	buf  bytes.Buffer // not embedded: its ReadFrom has no limit
	most int64
	over bool
	stop func() // called for more; nil: it is dropped
}

// Write writes p, or what is left of the limit.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if left := b.most - int64(b.buf.Len()); int64(len(p)) > left {
		b.over = true
		if b.stop != nil {
			b.stop()
		}
		b.buf.Write(p[:max(left, 0)])
		return len(p), nil
	}
	return b.buf.Write(p)
}

// commandWords splits a command line at spaces outside of quotes.
func commandWords(line string) (words []string, err error) {
	var word strings.Builder
	quote, begun := rune(0), false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, begun = c, true
		case c != ' ' && c != '\t':
			word.WriteRune(c)
			begun = true
		case begun:
			words, begun = append(words, word.String()), false
			word.Reset()
		}
	}
	if begun {
		words = append(words, word.String())
	}
	switch {
	case quote != 0:
		return nil, errors.New("a quote does not end")
	case len(words) == 0:
		return nil, errors.New("it is empty")
	}
	return words, nil
}
