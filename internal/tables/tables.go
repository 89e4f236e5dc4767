// Package tables supplies the large tables of Chinese, 3 MB. Most programs contain them. One for js, which a
// browser loads, contains none: it sets Load, which is called at the first Chinese character.
package tables

import "fmt"

// Load returns a table that the program does not contain, by the name of its file. A program that sets it does so
// before it compares texts.
var Load = func(name string) ([]byte, error) { return nil, fmt.Errorf("table %s: not loaded", name) }
