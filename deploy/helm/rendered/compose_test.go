package rendered

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// project reads the compose file as docker compose does: by the schema, with variables put in, and everything that a
// service names must be there.
func project(t *testing.T, file string, environment types.Mapping) (*types.Project, error) {
	t.Helper()
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: "../..", Environment: environment, ConfigFiles: []types.ConfigFile{{Filename: file}},
	}, func(o *loader.Options) { o.SetProjectName("news", true) })
}

func TestComposeFile(t *testing.T) {
	const file = "../../compose.yaml"
	if _, err := project(t, file, nil); err == nil || !strings.Contains(err.Error(), "NEARDUP_DB_PASSWORD") {
		t.Errorf("without a password: %v", err)
	}
	p, err := project(t, file, types.Mapping{"NEARDUP_DB_PASSWORD": "secret"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		s, err := p.GetService(name)
		if err != nil {
			t.Fatal(err)
		}
		if needs := s.GetDependencies(); !slices.Equal(slices.Sorted(slices.Values(needs)), []string{"mariadb", "redis"}) {
			t.Errorf("%s needs %v", name, needs)
		}
		if at := s.Environment["NEARDUP_MAP"]; at == nil || *at != "mysql://neardup:secret@mariadb:3306/neardup" {
			t.Errorf("%s has its map at %v", name, at)
		}
		if s.Build == nil || !strings.HasSuffix(s.Build.Dockerfile, "deploy/Dockerfile") || s.Ports[0].HostIP != "127.0.0.1" {
			t.Errorf("%s: %+v, %+v", name, s.Build, s.Ports)
		}
	}
	for name, image := range map[string]string{"redis": "redis:7.2", "mariadb": "mariadb:10.11"} {
		if s, err := p.GetService(name); err != nil || s.Image != image || s.HealthCheck == nil {
			t.Errorf("%s is %q with %+v, %v", name, s.Image, s.HealthCheck, err)
		}
	}
	program, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Services {
		for _, v := range s.Volumes {
			// A new volume belongs to root, unless the image has a folder there that belongs to its user.
			if owned := "--chown=65532:65532 " + v.Target + " " + v.Target + "\n"; s.Build != nil && !strings.Contains(string(program), owned) {
				t.Errorf("the user of the image may not write to %s of %s", v.Target, s.Name)
			}
			if _, ok := p.Volumes[v.Source]; v.Type != types.VolumeTypeVolume || !ok {
				t.Errorf("%s mounts %+v, which is no volume", s.Name, v)
			}
		}
	}
}

// TestComposeSchema checks that the schema rejects unknown fields, so that the test above is meaningful.
func TestComposeSchema(t *testing.T) {
	for name, content := range map[string]string{
		"an unknown field":     "services: {one: {image: a, restrat: always}}",
		"a wrong type":         "services: {one: {image: a, ports: 8080}}",
		"a missing service":    "services: {one: {image: a, depends_on: [two]}}",
		"a missing volume":     "services: {one: {image: a, volumes: ['data:/data']}}",
		"a service of nothing": "services: {one: {restart: always}}",
	} {
		_, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
			WorkingDir: ".", ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: []byte(content)}},
		}, func(o *loader.Options) { o.SetProjectName("news", true) })
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
