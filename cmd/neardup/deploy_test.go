//go:build full

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/server"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/spf13/pflag"
)

// deployed reads a file that is shipped for running a service.
func deployed(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// serveFlags returns the flags of neardup serve.
func serveFlags(args ...string) (*serve, *pflag.FlagSet, error) {
	s := &serve{app: &app{}}
	fs := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.bindVerb(fs, "serve", reflect.ValueOf(s))
	return s, fs, fs.Parse(args)
}

// TestDeploy: the configuration that is shipped is read whole, and the commands
// of the containers and of systemd have only flags that there are.
func TestDeploy(t *testing.T) {
	s, fs, err := serveFlags("--config", filepath.Join("..", "..", "deploy", "neardup.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := layered(fs); err != nil {
		t.Errorf("neardup.toml: %v", err)
	}
	if s.stores.log != "redis://redis:6379" || s.stores.articleMap == "" || len(s.host) != 1 {
		t.Errorf("neardup.toml: read as %+v", s.stores)
	}
	_, command, _ := strings.Cut(deployed(t, "compose.yaml"), "command: [serve, ")
	command, _, _ = strings.Cut(command, "]")
	var args []string
	for arg := range strings.SplitSeq(command, ", ") {
		args = append(args, strings.Trim(arg, `"`))
	}
	if _, _, err := serveFlags(args...); err != nil || !slices.Contains(args, "--log") {
		t.Errorf("compose.yaml: %q: %v", args, err)
	}
	// Each variable of a container's environment is that of a flag.
	for _, m := range regexp.MustCompile(`(?m)^ +(NEARDUP_[A-Z_]+):`).FindAllStringSubmatch(deployed(t, "compose.yaml"), -1) {
		t.Setenv(m[1], "")
		name := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(m[1], envPrefix), "_", "-"))
		if _, fs, _ := serveFlags(); fs.Lookup(name) == nil {
			t.Errorf("compose.yaml sets %s, and there is no --%s", m[1], name)
		}
	}
	// Variables without a value are empty there, which has the same effect as unset ones.
	s, fs, err = serveFlags()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := layered(fs); err != nil || s.stores.articleMap != "" || s.stores.articles != "" || s.stores.valid() != nil {
		t.Errorf("compose.yaml with nothing set: %+v, %v, %v", s.stores, err, s.stores.valid())
	}
	unit, users := deployed(t, "neardup.service"), deployed(t, "neardup.sysusers")
	if group := regexp.MustCompile(`(?m)^u neardup `); !strings.Contains(unit, "\nUser=neardup\nGroup=neardup\n") || strings.Contains(unit, "DynamicUser") || !group.MatchString(users) {
		t.Error("the settings are for a group that a user of systemd's making does not have")
	}
	if !strings.Contains(unit, "neardup serve --config /etc/neardup/neardup.toml") {
		t.Error("neardup.service starts something else")
	}
}

// TestChart: the pods that Helm makes of the chart (deploy/helm/rendered tests that it does) start
// what there is, with the variables that Kubernetes has no others for.
func TestChart(t *testing.T) {
	for name, log := range map[string]string{"alone.yaml": "", "three.yaml": "redis://redis:6379"} {
		_, list, _ := strings.Cut(deployed(t, "helm/rendered/"+name), "args:\n")
		list, env, _ := strings.Cut(list, "          env:\n")
		var args []string
		for line := range strings.Lines(list) {
			args = append(args, strings.Trim(strings.TrimPrefix(strings.TrimSpace(line), "- "), `"`))
		}
		s, fs, err := serveFlags(args[1:]...)
		if err != nil || args[0] != "serve" {
			t.Fatalf("%s: %q: %v", name, args, err)
		}
		if s.stores.log != log || s.stores.valid() != nil || len(s.host) != 1 {
			t.Errorf("%s: read as %+v, %v", name, s.stores, s.stores.valid())
		}
		for _, m := range regexp.MustCompile(`name: NEARDUP_([A-Z_]+)`).FindAllStringSubmatch(env, -1) {
			if fs.Lookup(strings.ToLower(strings.ReplaceAll(m[1], "_", "-"))) == nil {
				t.Errorf("%s sets NEARDUP_%s, and there is no such flag", name, m[1])
			}
		}
	}
}

// TestAlerts: the rules that are shipped fire when they should, and speak of metrics that
// there are.
func TestAlerts(t *testing.T) {
	documented, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`neardup_[a-z_]+`).FindAllString(deployed(t, "alerts.yaml"), -1) {
		name = strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")
		if !strings.Contains(string(documented), "`"+name) {
			t.Errorf("docs/operations.md knows no metric %s", name)
		}
	}
	cmd := exec.Command(services.Promtool(t), "test", "rules", "alerts_test.yaml")
	cmd.Dir = filepath.Join("..", "..", "deploy")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// TestDashboard checks that the shipped dashboard is JSON, and that a server in use has each of its metrics.
func TestDashboard(t *testing.T) {
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(deployed(t, "grafana.json")), &dashboard); err != nil || len(dashboard.Panels) == 0 {
		t.Fatalf("%d panels, %v", len(dashboard.Panels), err)
	}
	f := storeFlags{index: "memory:"}
	store, err := f.open(t.Context(), "")
	fatal(t, err)
	defer store.Close()
	registry := newRegistry(store)
	_, err = server.New(t.Context(), server.Config{Store: store, Settings: func(string) docid.Settings { return docid.Settings{} },
		Access: &server.Access{}, Telemetry: server.Telemetry{Metrics: registry}})
	fatal(t, err)
	described := make(chan *prometheus.Desc, 1000)
	registry.Describe(described)
	close(described)
	registered := ""
	for d := range described {
		registered += d.String()
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`neardup_[a-z_]+`).FindAllString(target.Expr, -1) {
				base := strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")
				if !strings.Contains(registered, `"`+base+`"`) {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
			}
		}
	}
}

// TestBuildInfo checks that the metrics name the program's version.
func TestBuildInfo(t *testing.T) {
	f := storeFlags{index: "memory:"}
	store, err := f.open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	families, err := newRegistry(store).Gather()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == "neardup_build_info" })
	if i < 0 || families[i].Metric[0].Label[0].GetValue() != version() || families[i].Metric[0].GetGauge().GetValue() != 1 {
		t.Errorf("neardup_build_info at %d of %v", i, families)
	}
}
