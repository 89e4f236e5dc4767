package segment

import "github.com/neardup/neardup/internal/tables"

// table returns a file of data, which the program does not contain.
func table(name string) ([]byte, error) { return tables.Load(name) }
