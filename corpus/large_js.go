package corpus

import (
	"errors"
	"io"

	"golang.org/x/text/encoding"

	"github.com/neardup/neardup"
)

// In a browser, the package reads no web archives, mails, Word or Excel files, and no charsets with tables (see package
// text), and it writes no files. So the build omits brotli, which imports net/http, and the other large dependencies.

var errLarge = errors.New("not supported by this build")

func newBrotli(io.Reader) (io.Reader, error) { return nil, errLarge }

func iso2022JP() *encoding.Decoder { return encoding.Replacement.NewDecoder() }

func (f *AtomicFile) compress() error { return errLarge }

func (f *AtomicFile) member() error { return errLarge }

func (d *Decoder) mail([]byte, *neardup.Document) error { return errLarge }

func (d *Decoder) docx([]byte, *neardup.Document) error { return errLarge }

type sheetReader struct{ io.Reader }

func openSheet(io.ReaderAt, int64, int64, string) (*sheetReader, error) { return nil, errLarge }

type sheetWriter struct{}

func newSheetWriter(io.Writer) (*sheetWriter, error) { return nil, errLarge }

func (*sheetWriter) row([]any) error { return errLarge }

func (*sheetWriter) close() error { return errLarge }
