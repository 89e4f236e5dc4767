// Package lint holds the rules of the house that a compiler does not check:
// who may import whom, no exits and panics in libraries, documented exports,
// bounded functions and files, clean words. They run as tests.
package lint
