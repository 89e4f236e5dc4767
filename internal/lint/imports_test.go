package lint

import (
	"strconv"
	"strings"
	"testing"
)

// A layer lists what a package may import besides the standard library and its own folder. It also applies to
// packages below its folder without a layer.
type layer struct {
	own   []string // packages of the module ("" is the root); "x/..." with those below
	third []string // prefixes of third-party paths
}

const (
	hash     = "github.com/zeebo/xxh3"
	xtext    = "golang.org/x/text/"
	compress = "github.com/klauspost/compress/"
	anything = "*"
)

// layers is the architecture. text and feature are at the bottom, and methods use them. Readers and stores
// are next to the methods and do not know them. Only the command at the top connects them.
var layers = map[string]layer{
	"":             {nil, []string{hash}},
	"text":         {nil, []string{xtext, "golang.org/x/net/html/charset", "github.com/gogs/chardet"}},
	"text/segment": {nil, []string{compress}},
	"text/html":    {[]string{"text"}, []string{xtext, "golang.org/x/net/"}},
	"feature":      {[]string{"text", "text/segment"}, []string{hash, compress, "github.com/clipperhouse/uax29/"}},

	"simhash":  {[]string{"", "text", "text/segment", "feature/..."}, []string{hash, xtext}},
	"minhash":  {[]string{"", "text", "feature/..."}, []string{hash, xtext}},
	"ngram":    {[]string{"", "text", "text/segment", "feature/..."}, []string{hash, xtext}},
	"token":    {[]string{"text", "text/segment", "feature/keyword"}, []string{hash}},
	"evidence": {[]string{"text", "token", "feature", "internal/intlog"}, []string{hash}},
	"weighted": {[]string{"", "text", "token", "feature/keyword"}, []string{hash}},
	"image":    {[]string{""}, []string{hash, "golang.org/x/image/"}},
	"methods":  {[]string{"", "text/...", "feature/...", "image", "simhash", "minhash", "ngram", "weighted", "token", "evidence"}, nil},

	"corpus":         {[]string{"", "text", "text/html"}, []string{compress, xtext, "github.com/andybalholm/brotli"}},
	"corpus/parquet": {[]string{"", "text", "corpus"}, []string{"github.com/parquet-go/parquet-go", "github.com/pierrec/lz4/", "github.com/klauspost/compress/"}},
	"corpus/arrow":   {[]string{"", "text", "corpus"}, []string{"github.com/google/flatbuffers/", "github.com/klauspost/compress/zstd", "github.com/pierrec/lz4/"}},
	"corpus/interop": {[]string{"corpus"}, nil},
	"override":       {[]string{"internal/textlines"}, nil},
	"batch":          {[]string{"", "text", "feature", "corpus", "override", "batch/audit"}, []string{hash, compress, "golang.org/x/sync/", "golang.org/x/sys/"}},
	"batch/standard": {[]string{"", "batch", "methods", "text"}, nil},
	"batch/audit":    {[]string{"", "feature"}, []string{hash, "golang.org/x/sync/"}},
	"passage":        {[]string{"", "text", "text/segment", "feature/keyword", "batch"}, []string{hash, "golang.org/x/sync/"}},
	"contamination":  {[]string{"text", "token", "evidence", "feature/keyword"}, nil},
	"worker":         {[]string{"", "batch/...", "override", "passage"}, []string{"github.com/cespare/xxhash/"}}, // that of Spark
	"eval":           {[]string{"", "text", "feature"}, nil},

	"docid":          {[]string{"", "image", "override"}, []string{hash}},
	"docid/classic":  {[]string{"", "docid", "feature/keyword", "methods", "simhash"}, []string{"github.com/gomodule/redigo/"}},
	"docid/standard": {[]string{"", "docid", "methods", "text"}, nil},

	"store":          {[]string{"", "docid", "override"}, []string{hash, compress, "golang.org/x/sync/"}},
	"store/memory":   {[]string{"", "docid"}, []string{hash, "github.com/RaduBerinde/btreemap"}},
	"store/pebble":   {[]string{"", "docid"}, []string{hash, "github.com/cockroachdb/pebble/"}},
	"store/redislog": {[]string{"docid", "store/pebble"}, []string{"github.com/gomodule/redigo/"}},
	"store/kafkalog": {[]string{"docid", "store/pebble"}, []string{"github.com/twmb/franz-go/"}},
	"store/s3":       {[]string{"docid", "store/pebble"}, []string{"github.com/minio/minio-go/", "golang.org/x/sync/"}},
	"store/mysql":    {[]string{"", "docid"}, []string{hash, "github.com/go-sql-driver/mysql"}},
	"store/hbase":    {[]string{"", "docid"}, []string{hash, "google.golang.org/protobuf/", "golang.org/x/sync/"}},
	"server": {[]string{"", "docid", "image", "override", "text", "pages"}, []string{
		"github.com/danielgtaylor/huma/", "github.com/go-json-experiment/json", "github.com/prometheus/client_golang/", "github.com/prometheus/client_model/", "golang.org/x/time/", hash, "go.opentelemetry.io/otel/",
	}},

	"streams": {[]string{"server/api"}, []string{"github.com/twmb/franz-go/", "github.com/gomodule/redigo/", "github.com/nats-io/nats.go", "golang.org/x/sync/"}},

	"pages":  {nil, nil},
	"python": {nil, nil},
	"report": {[]string{"", "text", "pages", "eval"}, []string{hash, compress}},

	"internal":             {[]string{"", "text", "feature"}, nil},
	"internal/span":        {nil, []string{"go.opentelemetry.io/otel/"}},
	"internal/kafkaclient": {[]string{"internal/silence"}, []string{"github.com/twmb/franz-go/"}},
	"internal/redisclient": {[]string{"internal/silence"}, []string{"github.com/gomodule/redigo/"}},
	"internal/inorder":     {nil, []string{"golang.org/x/sync/"}},
	"internal/lint":        {nil, nil},
	"internal/test":        {[]string{anything}, []string{anything}},
	"internal/tables":      {nil, []string{compress}},
	"internal/textlines":   {nil, []string{compress}},
	"cmd":                  {[]string{anything}, []string{anything}},
	"bench":                {[]string{anything}, []string{anything}},
}

// layerOf finds the rule of a folder: its own or that of the nearest above.
func layerOf(dir string) (layer, string, bool) {
	for {
		if l, ok := layers[dir]; ok {
			return l, dir, true
		}
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return layer{}, "", false
		}
		dir = dir[:i]
	}
}

// allows reports whether a file in dir, under the layer named name, may import path.
func (l layer) allows(dir, name, path string) bool {
	if path == module || strings.HasPrefix(path, module+"/") {
		own := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		if isSupport(own) && !isSupport(dir) {
			return false // benchmarks and test support are not part of the product
		}
		if own == dir || (name != "" && (own == name || strings.HasPrefix(own, name+"/"))) || isInternal(own) {
			return true
		}
		return matches(l.own, own)
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return true // standard library
	}
	for _, prefix := range l.third {
		if prefix == anything || path == prefix || strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/") {
			return true
		}
	}
	return false
}

// isBench reports whether a folder belongs to the nested module of benchmarks.
func isBench(own string) bool { return own == "bench" || strings.HasPrefix(own, "bench/") }

// isSupport reports whether a folder holds benchmarks or test support. Only those import each other outside of tests.
func isSupport(own string) bool { return isBench(own) || strings.HasPrefix(own, "internal/test/") }

// isInternal reports whether own is an internal package. The compiler checks who imports it, and its own
// imports have a layer.
func isInternal(own string) bool {
	return strings.HasPrefix(own, "internal/") || strings.Contains(own, "/internal/")
}

func matches(patterns []string, path string) bool {
	for _, pattern := range patterns {
		below, deep := strings.CutSuffix(pattern, "/...")
		if pattern == anything || pattern == path || (deep && (path == below || strings.HasPrefix(path, below+"/"))) {
			return true
		}
	}
	return false
}

// Tests and commands that generate tables may import what they like: they are
// not part of what a user of a package gets.
func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		if s.isTest() || (s.file.Name.Name == "main" && !strings.HasPrefix(s.path, "cmd/")) {
			continue
		}
		l, name, ok := layerOf(s.dir())
		if !ok {
			t.Errorf("%s: folder %q has no layer; give it one in layers", s.path, s.dir())
			continue
		}
		for _, spec := range s.file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !l.allows(s.dir(), name, path) {
				t.Errorf("%s imports %s, which its layer %q does not allow", s.at(spec.Pos()), path, name)
			}
		}
	}
}

// In the command stores are named in stores.go, apart from the one in memory, which a build without the service has too.
func TestStoresAreNamedInOnePlace(t *testing.T) {
	for _, s := range sources(t) {
		if s.dir() != "cmd/neardup" || s.isTest() || strings.HasPrefix(s.path, "cmd/neardup/stores") {
			continue
		}
		for _, spec := range s.file.Imports {
			if strings.HasPrefix(spec.Path.Value, `"`+module+"/store/") && !strings.HasSuffix(spec.Path.Value, `/memory"`) {
				t.Errorf("%s imports %s; stores are named in stores.go", s.at(spec.Pos()), spec.Path.Value)
			}
		}
	}
}

func TestLayersHold(t *testing.T) {
	tests := []struct {
		dir, path string
		allowed   bool
	}{
		{"", "fmt", true},
		{"", module + "/minhash", false},
		{"", module + "/docid", false},
		{"batch", module + "/docid", false},
		{"methods", module + "/docid", false},
		{"", "github.com/pierrec/lz4/v4", false},
		{"minhash", module, true},
		{"minhash", module + "/feature", true},
		{"minhash", module + "/corpus", false},
		{"simhash", module + "/store/pebble", false},
		{"simhash", module + "/server", false},
		{"simhash/table", module + "/simhash", true},
		{"text", module, false},
		{"text", module + "/text/html", true}, // one folder
		{"batch", module + "/methods", false},
		{"corpus", "github.com/parquet-go/parquet-go", false},
		{"corpus/parquet", "github.com/parquet-go/parquet-go", true},
		{"store/redis", "github.com/cockroachdb/pebble/v2", false},
		{"store/pebble", "github.com/cockroachdb/pebble/v2", true},
		{"cmd/neardup", module + "/batch", true},
		{"cmd/neardup", module + "/bench/load", false},
		{"bench/load/cmd", module + "/internal/test/services", true},
		{"bench/load/cmd", module + "/bench/load", true},
		{"cmd/neardup", module + "/internal/test/services", false},
		{"store/pebble", module + "/internal/test/storetest", false},
		{"internal/test/browser", module + "/internal/test/services", true},
	}
	for _, test := range tests {
		l, name, ok := layerOf(test.dir)
		if !ok || l.allows(test.dir, name, test.path) != test.allowed {
			t.Errorf("%q imports %s: allowed %v, want %v", test.dir, test.path, !test.allowed, test.allowed)
		}
	}
}
