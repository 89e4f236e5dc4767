package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// Record is a request with its answer, as a client knows them.
type Record struct {
	Op      string  `json:"op"` // add, again, clash, delete, end, heat
	Group   int     `json:"group"`
	Article Article `json:"article,omitzero"`
	Key     string  `json:"key,omitempty"`
	NID     string  `json:"nid,omitempty"`
	DocID   string  `json:"docId,omitempty"`
	// From is when the request was first sent, and To when it was answered, in nanoseconds since the start of the journal.
	From int64 `json:"from"`
	To   int64 `json:"to,omitempty"`
	// Answer is nil for a request that was only sent.
	Answer *Answer `json:"answer,omitempty"`
}

// Journal is the append-only log of the clients. It holds every request before it is sent, and every answer before the
// client continues. Only other processes are killed, so written records are kept.
type Journal struct {
	begin time.Time
	mu    sync.Mutex
	file  *os.File
	out   *json.Encoder
}

// NewJournal creates a journal.
func NewJournal(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the journal: %w", err)
	}
	return &Journal{begin: time.Now(), file: f, out: json.NewEncoder(f)}, nil
}

// Now returns the time in the journal.
func (j *Journal) Now() int64 { return int64(time.Since(j.begin)) }

// Write appends a record.
func (j *Journal) Write(r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.out.Encode(r); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// ReadJournal reads all records in the order they were written.
func ReadJournal(path string) ([]Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer f.Close()
	var records []Record
	for d := json.NewDecoder(bufio.NewReader(f)); d.More(); {
		var r Record
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("read the journal: %w", err)
		}
		records = append(records, r)
	}
	return records, nil
}
