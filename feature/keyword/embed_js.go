package keyword

import "github.com/neardup/neardup/internal/tables"

// dataFile returns a file of data, which the program does not contain.
func dataFile(name string) ([]byte, error) { return tables.Load(name) }
