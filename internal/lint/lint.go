// Package lint checks rules that the compiler does not: imports, exits and panics in libraries, documented
// exports, the size of functions, files, structs and packages (budget.txt), interfaces with a single
// implementation, and words. The rules run as tests.
package lint
