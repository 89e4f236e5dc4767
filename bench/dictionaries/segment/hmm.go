package main

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// states in the order of the columns of the written table.
const states = "BEMS"

// places is the number of binary places of the written costs.
const places = 40

var (
	reState = regexp.MustCompile(`'([BEMS])': \{`)
	rePair  = regexp.MustCompile(`'(\\u[0-9a-f]{4}|[BEMS])': (-[0-9.]+(?:e\+100)?)`)
)

// hmm writes the three tables as lines of a name and four costs, "-" where
// jieba has none or -3.14e100: "start", "from B" ..., and each character.
func hmm(start, trans, emit string) (string, error) {
	var b strings.Builder
	s, err := row(start)
	if err != nil {
		return "", err
	}
	line(&b, "start", s)
	for _, state := range states {
		s, err := row(section(trans, state))
		if err != nil {
			return "", err
		}
		line(&b, "from"+string(state), s)
	}
	table := map[string]map[byte]string{}
	for i := range len(states) {
		emitted, err := row(section(emit, rune(states[i])))
		if err != nil {
			return "", err
		}
		for char, cost := range emitted {
			if table[char] == nil {
				table[char] = map[byte]string{}
			}
			table[char][states[i]] = cost
		}
	}
	chars := make([]string, 0, len(table))
	for char := range table {
		chars = append(chars, char)
	}
	slices.Sort(chars)
	for _, char := range chars {
		costs := map[string]string{}
		for state, cost := range table[char] {
			costs[string(state)] = cost
		}
		line(&b, char, costs)
	}
	return b.String(), nil
}

// section returns the part of a nested table that belongs to a state.
func section(text string, state rune) string {
	found := reState.FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		if text[m[2]:m[3]] != string(state) {
			continue
		}
		if i+1 < len(found) {
			return text[m[1]:found[i+1][0]]
		}
		return text[m[1]:]
	}
	return ""
}

// row reads "'key': number" pairs and returns the numbers as costs.
func row(text string) (map[string]string, error) {
	costs := map[string]string{}
	for _, m := range rePair.FindAllStringSubmatch(text, -1) {
		key := m[1]
		if strings.HasPrefix(key, `\u`) {
			r, err := strconv.ParseUint(key[2:], 16, 32)
			if err != nil {
				return nil, err
			}
			key = string(rune(r))
		}
		if strings.HasSuffix(m[2], "e+100") {
			continue
		}
		x, ok := new(big.Rat).SetString(m[2])
		if !ok {
			return nil, fmt.Errorf("%q is not a number", m[2])
		}
		x.Mul(x, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), places)))
		costs[key] = x.FloatString(0)
	}
	if len(costs) == 0 {
		return nil, fmt.Errorf("no table in %.40q", text)
	}
	return costs, nil
}

func line(b *strings.Builder, name string, costs map[string]string) {
	b.WriteString(name)
	for _, state := range states {
		c := costs[string(state)]
		if c == "" {
			c = "-"
		}
		b.WriteString(" " + c)
	}
	b.WriteByte('\n')
}
