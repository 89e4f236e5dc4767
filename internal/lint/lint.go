// Package lint checks rules that the compiler does not check. They concern imports, exits and panics in
// libraries, documented exports, sizes (budget.txt), interfaces with a single implementation, and words. The
// rules run as tests.
package lint
