package services

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Kafka starts n brokers on separate addresses. A majority of them must agree. It takes about 7 s.
func Kafka(t testing.TB, brokers int) []*Server {
	t.Helper()
	return kafka(t, brokers, "PLAINTEXT://ADDR")
}

// kafka starts brokers with these listeners, one of which is at ADDR, and further properties. users are arguments of the
// storage tool.
func kafka(t testing.TB, brokers int, listeners string, more ...string) []*Server {
	t.Helper()
	home := filepath.Join(Home(), "kafka")
	if jars, _ := filepath.Glob(filepath.Join(home, "lib", "kafka_*.jar")); len(jars) == 0 {
		Missing(t, "Kafka")
	}
	java, all := program(t, "java"), make([]*Server, brokers)
	voters := make([]string, brokers)
	for n := range all {
		all[n] = &Server{name: "kafka", Addr: FreeAddr(t), Dir: folder(t, "kafka")}
		voters[n] = fmt.Sprint(n+1, "@", FreeAddr(t))
	}
	jvm := []string{java, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(home, "lib", "*")}
	for n, s := range all {
		_, controller, _ := strings.Cut(voters[n], "@")
		properties := filepath.Join(s.Dir, "server.properties")
		at := strings.ReplaceAll(listeners, "ADDR", s.Addr)
		lines := []string{
			"process.roles=broker,controller", fmt.Sprint("node.id=", n+1), "controller.quorum.voters=" + strings.Join(voters, ","),
			"listeners=" + at + ",CONTROLLER://" + controller, "advertised.listeners=" + at,
			"controller.listener.names=CONTROLLER", "log.dirs=" + filepath.Join(s.Dir, "data"), "auto.create.topics.enable=false",
			"broker.session.timeout.ms=6000", "broker.heartbeat.interval.ms=1000",
			// One partition is enough for groups and transactions, and starts faster.
			"offsets.topic.num.partitions=1", "offsets.topic.replication.factor=1", "group.initial.rebalance.delay.ms=0",
			"transaction.state.log.num.partitions=1", "transaction.state.log.replication.factor=1", "transaction.state.log.min.isr=1",
		}
		format := []string{"kafka.tools.StorageTool", "format", "-t", "bmVhcmR1cC1sb2ctdGVzdA", "-c", properties}
		for _, line := range more {
			if user, scram := strings.CutPrefix(line, "--add-scram "); scram {
				format = append(format, "--add-scram", user)
			} else {
				lines = append(lines, line)
			}
		}
		if err := os.WriteFile(properties, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(jvm[0], append(slices.Clone(jvm[1:]), format...)...).CombinedOutput(); err != nil {
			t.Fatalf("format the folder of Kafka: %v\n%s", err, out)
		}
		s.argv = append(append([]string{}, jvm...), "kafka.Kafka", properties)
		s.ready = func(addr string) error { return kafkaReady(addr, s.Dir) }
	}
	for _, s := range all {
		t.Cleanup(s.Kill)
	}
	StartTogether(t, all)
	return all
}

// StartTogether starts servers that only become ready when most of them run. It restarts a server that gives up earlier.
func StartTogether(t testing.TB, all []*Server) {
	t.Helper()
	var starting sync.WaitGroup
	failed := make([]error, len(all))
	for n, s := range all {
		starting.Go(func() {
			failed[n] = s.start()
			if failed[n] != nil {
				failed[n] = s.start()
			}
		})
	}
	starting.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatalf("start %s: %v", all[0].name, err)
	}
}

// kafkaReady returns nil once the log says that the broker has started since its last start.
func kafkaReady(addr, dir string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	_ = c.Close()
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	said := string(log)
	if begun := strings.LastIndex(said, "Transition from SHUTDOWN to STARTING"); begun < 0 || begun > strings.LastIndex(said, "Transition from STARTING to STARTED") {
		return fmt.Errorf("it has not started")
	}
	return nil
}
