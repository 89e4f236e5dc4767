//go:build !js

package corpus

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"

	"github.com/neardup/neardup"
)

// Limits for the parts of a mail and the depth of their nesting.
const (
	mostParts  = 1000
	mostNested = 16
)

// mail makes the document of a message from its id, subject, date, and its text without quotations.
func (d *Decoder) mail(raw []byte, doc *neardup.Document) error {
	if bytes.HasPrefix(raw, fromLine) {
		_, raw, _ = bytes.Cut(raw, newline)
		raw = bytes.ReplaceAll(raw, []byte("\n>From "), []byte("\nFrom "))
	}
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("not a mail: %w", err)
	}
	parts := mailParts{dec: d}
	if err := parts.add(textproto.MIMEHeader(m.Header), m.Body, 0); err != nil {
		return fmt.Errorf("damaged mail: %w", err)
	}
	doc.ID = strings.Trim(m.Header.Get("Message-Id"), "<> \t")
	doc.Title = m.Header.Get("Subject")
	words := mime.WordDecoder{CharsetReader: func(charset string, r io.Reader) (io.Reader, error) {
		b, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		s, err := decodeFile(b, charset)
		return strings.NewReader(s), err
	}}
	if title, err := words.DecodeHeader(doc.Title); err == nil {
		doc.Title = title
	}
	if date, err := m.Header.Date(); err == nil {
		doc.Time, _ = fromTime(date) // an invalid date counts as unknown
	}
	doc.Text = unquoted(strings.Join(parts.texts, "\n"))
	return nil
}

// mailParts collects the texts of a message.
type mailParts struct {
	dec   *Decoder
	texts []string
	n     int
}

// add adds a part. It takes the plain text of alternatives, and skips attachments.
func (p *mailParts) add(h textproto.MIMEHeader, body io.Reader, depth int) error {
	p.n++
	if p.n > mostParts || depth > mostNested {
		return fmt.Errorf("too many parts, or nested too deep (want at most %d parts, %d levels)", mostParts, mostNested)
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		kind = "text/plain" // also if there is no content type
	}
	if place, _, _ := mime.ParseMediaType(h.Get("Content-Disposition")); place == "attachment" {
		return nil
	}
	switch strings.ToLower(h.Get("Content-Transfer-Encoding")) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		return p.each(multipart.NewReader(body, params["boundary"]), kind == "multipart/alternative", depth)
	case kind != "text/plain" && kind != "text/html":
		return nil
	}
	b, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	text, err := decodeFile(b, params["charset"])
	if err == nil && kind == "text/html" && p.dec.opt.Extract != nil {
		var page Page
		page, err = p.dec.opt.Extract(b, params["charset"], "")
		text = page.Text
	}
	text = strings.TrimSpace(text)
	if text != "" {
		p.texts = append(p.texts, text)
	}
	return err
}

// each adds the parts of a multipart. Of alternatives, it adds the first that has a text.
func (p *mailParts) each(r *multipart.Reader, alternatives bool, depth int) error {
	had := len(p.texts)
	for {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && !(alternatives && len(p.texts) > had) {
			err = p.add(part.Header, part, depth+1)
		}
		if err != nil {
			return err
		}
	}
}

// unquoted returns a text without lines that begin with >, and without the line that introduces them. If nothing else is
// left, it returns the whole text.
func unquoted(text string) string {
	var own []string
	introduced := -1 // own lines before the introduction
	for line := range strings.Lines(text) {
		blank := strings.TrimSpace(line) == ""
		switch {
		case strings.HasPrefix(line, ">"):
			if introduced >= 0 {
				own = own[:introduced]
			}
			introduced = -1
			continue
		case strings.HasSuffix(strings.TrimSpace(line), ":"):
			introduced = len(own)
		case !blank:
			introduced = -1
		}
		own = append(own, line)
	}
	if left := strings.TrimSpace(strings.Join(own, "")); left != "" {
		return left
	}
	return text
}
