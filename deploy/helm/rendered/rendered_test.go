// Package rendered renders and lints the chart by Helm itself, and reads the compose file as Docker does. The commands are
// looked at by TestChart and TestDeploy of cmd/neardup, which knows the flags.
package rendered

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the manifests")

// render is the chart with values, as helm template prints it.
func render(t *testing.T, values map[string]any) (string, error) {
	t.Helper()
	chart, err := loader.Load("../neardup")
	if err != nil {
		t.Fatal(err)
	}
	if err := chart.Validate(); err != nil {
		t.Fatal(err)
	}
	release := chartutil.ReleaseOptions{Name: "news", Namespace: "default"}
	all, err := chartutil.ToRenderValues(chart, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".yaml") {
			out.WriteString("---\n# Source: " + name + "\n" + strings.TrimSpace(files[name]) + "\n")
		}
	}
	return out.String(), nil
}

// check reads manifests as Kubernetes does, to which no field may be unknown.
func check(t *testing.T, name, manifests string) {
	t.Helper()
	var set apps.StatefulSet
	services, claims := map[string]core.Service{}, map[string]bool{}
	for part := range strings.SplitSeq(manifests, "---\n") {
		var kind struct{ Kind string }
		var err error
		err = yaml.Unmarshal([]byte(part), &kind)
		if err == nil {
			switch kind.Kind {
			case "StatefulSet":
				err = yaml.UnmarshalStrict([]byte(part), &set)
			case "Service":
				var s core.Service
				err = yaml.UnmarshalStrict([]byte(part), &s)
				services[s.Name] = s
			case "PersistentVolumeClaim":
				var c core.PersistentVolumeClaim
				err = yaml.UnmarshalStrict([]byte(part), &c)
				claims[c.Name] = true
			}
		}
		if err != nil {
			t.Errorf("%s: %v in\n%s", name, err, part)
		}
	}
	for _, s := range services {
		if !maps.Equal(s.Spec.Selector, set.Spec.Template.Labels) || !maps.Equal(s.Spec.Selector, set.Spec.Selector.MatchLabels) {
			t.Errorf("%s: the service %s finds %v, the pods are %v", name, s.Name, s.Spec.Selector, set.Spec.Template.Labels)
		}
	}
	if _, ok := services[set.Spec.ServiceName]; !ok || len(services) != 2 {
		t.Errorf("%s: of the services %v none is %q", name, services, set.Spec.ServiceName)
	}
	pod := set.Spec.Template.Spec
	c := pod.Containers[0]
	if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/healthz" || c.StartupProbe.HTTPGet.Path != "/healthz" {
		t.Errorf("%s: probes %v, %v, %v", name, c.ReadinessProbe, c.LivenessProbe, c.StartupProbe)
	}
	if *pod.EnableServiceLinks || c.Resources.Limits.Memory().IsZero() || *pod.TerminationGracePeriodSeconds < 15 {
		t.Errorf("%s: the pod is %+v", name, pod)
	}
	volumes := map[string]bool{}
	for _, v := range set.Spec.VolumeClaimTemplates {
		volumes[v.Name] = true
	}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
		if of := v.PersistentVolumeClaim; of != nil && !claims[of.ClaimName] {
			t.Errorf("%s: nobody claims %s", name, of.ClaimName)
		}
	}
	for _, m := range c.VolumeMounts {
		if !volumes[m.Name] {
			t.Errorf("%s: there is no volume %s", name, m.Name)
		}
	}
}

func TestManifests(t *testing.T) {
	for name, values := range map[string]map[string]any{
		"alone.yaml": {},
		"three.yaml": {"replicas": 3, "log": "redis://redis:6379", "snapshots": "volume", "args": []any{"--method", "minhash threshold=.8"},
			"hosts": []any{"dedup.example.org"}, "storage": map[string]any{"storageClass": "fast"}, "env": []any{map[string]any{"name": "AWS_REGION", "value": "eu-central-1"}}, "nodeSelector": map[string]any{"disk": "ssd"}},
	} {
		got, err := render(t, values)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		check(t, name, got)
		want, err := os.ReadFile(name)
		if err != nil || got != string(want) {
			t.Errorf("%s is not what Helm renders (%v); go test -update writes it:\n%s", name, err, got)
		}
	}
	for want, values := range map[string]map[string]any{
		"replicas above 1 need log": {"replicas": 2},
		"snapshots need log":        {"snapshots": "volume"},
	} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", values, err)
		}
	}
}

// TestLint checks that helm lint --strict reports only the missing icon, which is optional.
func TestLint(t *testing.T) {
	for _, m := range lint.AllWithKubeVersion("../neardup", nil, "default", nil).Messages {
		if m.Severity > support.InfoSev {
			t.Error(m)
		}
	}
}
