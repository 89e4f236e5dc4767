// Package pages holds the pages on which people read results: what a run removed and why, the groups, decisions, and the
// live service. They consist of plain JavaScript modules and one style sheet. They need no build step and load nothing from
// elsewhere. [Page] writes them into one file, along with the data that they show.
package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

//go:embed js/*.js
var scripts embed.FS

//go:embed style.css
var style string

// modules lists each module after those that it imports.
var modules = []string{
	"dom", "i18n", "text", "charts", "file", "decide", "rulings", "http", "quality", "run", "group", "groups", "decisions", "lab", "check", "live", "api", "app",
}

var (
	importLine = regexp.MustCompile(`(?m)^import (\{[^}]*\}) from './(\w+)\.js';$`)
	exportWord = regexp.MustCompile(`(?m)^export ((?:async )?(?:const|let|class|function) (\w+))`)
)

// Script returns all modules as one script, in which each is a function that returns its exports. It only handles the forms
// of import and export that the modules use.
func Script() (string, error) {
	var b strings.Builder
	b.WriteString("'use strict';\n(() => {\nconst modules = {};\n")
	for _, name := range modules {
		text, err := scripts.ReadFile("js/" + name + ".js")
		if err != nil {
			return "", fmt.Errorf("pages: %w", err)
		}
		var exports []string
		for _, m := range exportWord.FindAllSubmatch(text, -1) {
			exports = append(exports, string(m[2]))
		}
		text = importLine.ReplaceAll(text, []byte("const $1 = modules.$2;"))
		text = exportWord.ReplaceAll(text, []byte("$1"))
		fmt.Fprintf(&b, "modules.%s = (() => {\n%sreturn { %s };\n})();\n", name, text, strings.Join(exports, ", "))
	}
	b.WriteString("})();\n")
	return b.String(), nil
}

// Part is data that the script of a page reads by name. It is compressed with gzip.
type Part struct {
	Name string
	Gzip []byte
}

// errPart rejects a name that could leave its attribute.
var errPart = errors.New("pages: the name of a part has letters, digits and dashes only")

var partName = regexp.MustCompile(`^[a-z0-9-]+$`)

// Page is a page that is being written: first the frame, then parts, then Close. The script reads the parts written before
// Start at once, and waits for later ones.
type Page struct {
	w       io.Writer
	script  string
	err     error
	started bool
}

// New begins a page. The page loads nothing, because its policy only allows its own script and style, by their digests.
func New(w io.Writer, title string) (*Page, error) { return begin(w, title) }

func begin(w io.Writer, title string, connect ...string) (*Page, error) {
	script, err := Script()
	if err != nil {
		return nil, err
	}
	p := &Page{w: w, script: script}
	p.write("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	p.write("<meta http-equiv=\"Content-Security-Policy\" content=\"" + Policy(script, style, connect...) + "\">\n")
	p.write("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n")
	p.write("<title>" + escape(title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n")
	return p, p.err
}

// Live returns the page that calls the service it came from, and the policy to send with it. The policy only allows calls
// to that service.
func Live() (page []byte, policy string, err error) {
	var b bytes.Buffer
	p, err := begin(&b, "neardup", "'self'")
	if err != nil {
		return nil, "", err
	}
	if err := p.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), Policy(p.script, style, "'self'"), nil
}

// Policy returns the Content-Security-Policy of a page with one script and one style sheet. The page may call only connect,
// such as "'self'", and shows only images that it contains. Trusted Types prevent the script from making markup from text.
func Policy(script, style string, connect ...string) string {
	policy := "default-src 'none'; script-src " + digest(script) + "; style-src " + digest(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	if len(connect) > 0 {
		policy += "; connect-src " + strings.Join(connect, " ")
	}
	return policy
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Add writes a part.
func (p *Page) Add(part Part) error {
	if !partName.MatchString(part.Name) {
		return errPart
	}
	p.write("<script type=\"application/octet-stream;base64\" id=\"" + part.Name + "\">")
	if p.err == nil {
		e := base64.NewEncoder(base64.StdEncoding, p.w)
		_, err := e.Write(part.Gzip)
		p.err = errors.Join(err, e.Close())
	}
	p.write("</script>\n")
	return p.err
}

// Start writes the script.
func (p *Page) Start() error {
	p.started = true
	p.write("<script>" + p.script + "</script>\n")
	return p.err
}

// Close ends the page. It does not close the writer.
func (p *Page) Close() error {
	if !p.started && p.err == nil {
		p.err = p.Start()
	}
	p.write("</body>\n</html>\n")
	return p.err
}

func (p *Page) write(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;")

func escape(s string) string { return escapes.Replace(s) }
