// Package lint holds the rules of the house that a compiler does not check: imports, exits and panics in libraries,
// documented exports, the size of functions, files, structs and packages (budget.txt), interfaces with a single
// implementation, and words. They run as tests.
package lint
