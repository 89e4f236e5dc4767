package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The JVM gets options of ours only where it is all of Spark and nobody has named others.
func TestOnOneMachine(t *testing.T) {
	for _, name := range []string{"MASTER", "SPARK_CONF_DIR", "JDK_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"} {
		t.Setenv(name, "")
	}
	home := sparkHome{home: t.TempDir()}
	for _, c := range []struct {
		master string
		conf   []string
		more   []string
		want   bool
	}{
		{"", nil, nil, true},
		{"local[4]", []string{"spark.ui.enabled=false"}, nil, true},
		{"local[4,2]", nil, []string{"--driver-memory", "8g"}, true},
		{"yarn", nil, nil, false},
		{"spark://host:7077", nil, nil, false},
		{"local-cluster[2,1,1024]", nil, nil, false},
		{"", nil, []string{"--master", "yarn"}, false},
		{"", []string{"spark.master=yarn"}, nil, false},
		{"", []string{"spark.master=local[2]"}, nil, true},
		{"local", []string{"spark.driver.extraJavaOptions=-XX:+UseZGC"}, nil, false},
		{"local", nil, []string{"--conf", "spark.driver.defaultJavaOptions=-Xss4m"}, false},
		{"local", nil, []string{"--driver-java-options", "-Xss4m"}, false},
		{"local", nil, []string{"--properties-file=mine.conf"}, false},
	} {
		v := &sparkVerb{master: c.master, conf: c.conf}
		if got := v.onOneMachine(home, c.more); got != c.want {
			t.Errorf("master %q, conf %q, %q: %v", c.master, c.conf, c.more, got)
		}
	}
	if err := os.Mkdir(filepath.Join(home.home, "conf"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home.home, "conf", "spark-defaults.conf"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if (&sparkVerb{master: "local"}).onOneMachine(home, nil) {
		t.Error("settings of the place are not looked at")
	}
}
