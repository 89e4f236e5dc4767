package keyword

import "github.com/neardup/neardup/internal/tables"

// dataFile loads a file of data, which this build does not embed.
func dataFile(name string) ([]byte, error) { return tables.Load(name) }
