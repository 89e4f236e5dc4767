//go:build full

package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/test/services"
)

// Sizes of what JavaScript loads, compressed: at the start, and at the first Chinese character.
const (
	mostEngine = 3_000_000
	mostTables = 2_900_000
)

// TestNpm installs the package for npm in a new folder, and compares what it answers in Node with the command.
func TestNpm(t *testing.T) {
	if testing.Short() {
		t.Skip("not concurrent")
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			services.Missing(t, tool)
		}
	}
	made := makeNpm(t)
	for most, names := range map[int64][]string{mostEngine: {"neardup.wasm.gz", "wasm_exec.js", "index.js"}, mostTables: {"dict.trie.zst", "hmm.txt.gz", "idf.zh.columns.zst"}} {
		var size int64
		for _, name := range names {
			info, err := os.Stat(filepath.Join(made, name))
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
		t.Log(names, size)
		if size > most {
			t.Errorf("%s have %d bytes, want at most %d", names, size, most)
		}
	}
	home := t.TempDir()
	write(t, filepath.Join(home, "package.json"), []byte("{}"))
	inFolder(t, home, "npm", "install", "--offline", "--silent", "--no-audit", "--no-fund", filepath.Join(made, "neardup-0.0.1.tgz"))
	t.Run("as the command", func(t *testing.T) { npmAsCommand(t, home) })
	t.Run("answers", func(t *testing.T) { npmAnswers(t, home) })
	t.Run("readme", func(t *testing.T) { npmReadme(t, home) })
	t.Run("page", func(t *testing.T) { tryPage(t, made) })
}

// makeNpm makes the package in a folder.
func makeNpm(t *testing.T) string {
	made := filepath.Join(t.TempDir(), "npm")
	if out, err := exec.Command(filepath.Join("..", "..", "scripts", "npm"), "0.0.1", made).CombinedOutput(); err != nil {
		t.Fatalf("scripts/npm: %v\n%s", err, out)
	}
	return made
}

// inFolder runs a program in a folder and returns its output.
func inFolder(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", name, err, out, stderr.String())
	}
	return string(out)
}

// rowsOfCSV returns a table of n rows, 150 bytes each, a third of them edited copies and a twentieth Chinese. Some of
// the 20,000 words are common and most are rare, as in a language.
func rowsOfCSV(n int) string {
	rng := rand.New(rand.NewPCG(42, 4))
	words := rand.NewZipf(rng, 1.1, 8, 20_000)
	syllables, characters := strings.Fields("ka ro mi ten sul ber in da o ve lan cho ri gus pe ta"), []rune("渡轮九点开往海岛市政府批准预算桥梁维修暴雨警告学校图书馆开放价格上涨医院生比赛冠军")
	word := func(chinese bool) (word string) {
		for i := words.Uint64() + 16; i > 0; i /= 16 {
			if chinese {
				word += string(characters[i%uint64(len(characters))])
			} else {
				word += syllables[i%16]
			}
		}
		return word
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"id", "text", "url"})
	texts := make([][]string, n)
	for i := range texts {
		chinese := rng.IntN(20) == 0
		if i > 100 && rng.IntN(3) == 0 {
			texts[i] = slices.Clone(texts[rng.IntN(i)])
			texts[i][rng.IntN(len(texts[i]))] = fmt.Sprint(rng.IntN(100))
		} else {
			for range 14 {
				texts[i] = append(texts[i], word(chinese))
			}
		}
		_ = w.Write([]string{fmt.Sprint("row", i), strings.Join(texts[i], " ") + ", \"says\" the report.", fmt.Sprint("https://example.org/", i)})
	}
	w.Flush()
	return b.String()
}

// npmAsCommand compares decisions, kept records and digest with those of the command.
func npmAsCommand(t *testing.T, home string) {
	write(t, filepath.Join(home, "rows.csv"), []byte(rowsOfCSV(2000)))
	write(t, filepath.Join(home, "dedup.mjs"), []byte(`
		import { dedup, dedupFile } from 'neardup';
		import { readFileSync, writeFileSync } from 'node:fs';
		const { file, ...options } = JSON.parse(process.argv[2]);
		let phases = 0;
		const r = await dedupFile(readFileSync('rows.csv'), { ...options, progress: () => phases++ });
		writeFileSync('kept.csv', r.kept);
		const again = await dedup(r.texts.map((text, i) => ({ id: r.decisions[i].id, text })), options);
		console.log(JSON.stringify({ digest: r.summary.digest, decisions: r.decisions, phases, again: again.summary.digest }));`))
	for _, options := range []map[string]string{{}, {"method": "minhash threshold=.6", "keep": "longest"}, {"method": "simhash features=keywords"}} {
		t.Run(fmt.Sprint(options), func(t *testing.T) {
			args := []string{"dedup", "--json", filepath.Join(home, "rows.csv"), "--out", filepath.Join(t.TempDir(), "kept.csv"), "--decisions", filepath.Join(t.TempDir(), "decisions.jsonl")}
			for name, value := range options {
				args = append(args, "--"+name, value)
			}
			code, stdout, stderr := command(t, args...)
			var want struct{ Digest string }
			if err := json.Unmarshal([]byte(stdout), &want); err != nil || code != 0 {
				t.Fatal(code, err, stderr)
			}
			given, err := json.Marshal(options)
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Digest, Again string
				Phases        int
				Decisions     []json.RawMessage
			}
			if err := json.Unmarshal([]byte(inFolder(t, home, "node", "dedup.mjs", string(given))), &got); err != nil {
				t.Fatal(err)
			}
			if got.Digest != want.Digest || got.Digest != got.Again || got.Phases == 0 || len(got.Decisions) != 2000 {
				t.Errorf("digests %s and %s, want %s; %d decisions, %d phases", got.Digest, got.Again, want.Digest, len(got.Decisions), got.Phases)
			}
			sameFile(t, filepath.Join(home, "kept.csv"), args[4])
		})
	}
}

func sameFile(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil || string(x) != string(y) {
		t.Errorf("%s differs from %s: %v", a, b, err)
	}
}

// npmAnswers calls each function, also wrongly, and with a table that cannot be read.
func npmAnswers(t *testing.T, home string) {
	write(t, filepath.Join(home, "answers.mjs"), []byte(`
		import { compare, check, configure, dedup, dedupFile } from 'neardup';
		import { readFile } from 'node:fs/promises';
		const files = new URL('./node_modules/neardup/', import.meta.url), read = [];
		let broken = true;
		configure({ read: async (name) => {
			read.push(name);
			if (broken && name === 'hmm.txt.gz') throw new Error('no network');
			return readFile(new URL(name, files));
		} });
		const said = [], say = async (what) => { try { said.push(await what()); } catch (e) { said.push(e.message.slice(0, 70)); } };
		const nine = 'The ferry leaves at nine.', ten = 'The ferry leaves at ten.';
		await say(async () => (await compare(nine, ten)).relation);
		await say(async () => (await compare('', '')).relation);
		await say(async () => (await compare(nine, nine.toUpperCase())).equal);
		await say(async () => (await check(nine + '!', ['Rain.', ten, nine])).known);
		await say(async () => (await check('Snow.', [])).known);
		await say(() => compare(nine, 9));
		await say(() => compare(nine, ten, { method: 'best' }));
		await say(() => compare(nine, ten, { methods: 'auto' }));
		await say(() => dedup([nine], { keep: 'best' }));
		await say(() => dedup([nine, { id: 'x' }]));
		await say(() => dedup(nine));
		await say(() => check(nine, ten));
		await say(() => dedup([1]));
		await say(async () => (await dedup([])).kept.length);
		await say(() => dedupFile('name\nx\n', { format: 'csv' }));
		await say(() => dedupFile(Uint8Array.of(0x74, 0x65, 0x78, 0x74, 0x0a, 0xd6, 0xd0, 0x0a), { format: 'csv' }));
		await say(() => read.length);
		const log = console.log;
		console.log = () => {};
		const failed = [compare('渡轮九点', '渡轮十点'), compare('渡轮', '渡船')];
		await Promise.allSettled(failed);
		console.log = log;
		await say(() => failed[0]);
		await say(() => failed[1]);
		broken = false;
		await say(async () => (await compare('渡轮九点开往岛上。', '渡轮十点开往岛上。')).evidence[0].a);
		console.log(JSON.stringify(said));`))
	var got []any
	if err := json.Unmarshal([]byte(inFolder(t, home, "node", "answers.mjs")), &got); err != nil {
		t.Fatal(err)
	}
	want := []any{"variant", "new", true, 2.0, -1.0, "neardup: b is not a string",
		`neardup: unknown method "best" (want auto, exact, minhash, simhash, ja`,
		`neardup: options: json: unknown field "methods"`, `neardup: keep: "best": invalid (want first, longest, shortest, earlies`,
		`neardup: text 1: no field "text"; it has "id"`,
		"neardup: texts is one text (want an array)", "neardup: known is one text (want an array)", "neardup: text 0 is not a string",
		0.0,
		`neardup: no column "text" (want one of "name", or the number of a colu`,
		"neardup: charset: not supported by this build (want UTF-8 or UTF-16): ",
		1.0, "neardup stopped: no network", "neardup stopped: no network", "九"}
	if !reflect.DeepEqual(got, want) {
		for i := range max(len(got), len(want)) {
			t.Logf("%d: %v, want %v", i, got[min(i, len(got)-1)], want[min(i, len(want)-1)])
		}
		t.Error("other answers")
	}
}

// npmReadme runs the example, whose comments have what it prints.
func npmReadme(t *testing.T, home string) {
	text, err := os.ReadFile("../../npm/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```js\n")
	example, _, _ = strings.Cut(example, "```")
	write(t, filepath.Join(home, "readme.mjs"), []byte(example))
	lines := strings.Split(strings.TrimSpace(inFolder(t, home, "node", "readme.mjs")), "\n")
	n := 0
	for line := range strings.Lines(example) {
		if _, want, ok := strings.Cut(strings.TrimSpace(line), "); // "); ok {
			if n >= len(lines) || lines[n] != want {
				t.Errorf("line %d of %q, want %s", n, lines, want)
			}
			n++
		}
	}
	if n != 3 || len(lines) != n {
		t.Errorf("%d lines with an answer, want 3", n)
	}
}
