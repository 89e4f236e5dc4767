package services

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// HBase is a one-process HBase and its REST gateway.
type HBase struct {
	*Server         // master, region server and ZooKeeper
	Gateway *Server // REST
	master  string  // host:port of the master's RPC
}

// URL returns the address of the gateway.
func (h HBase) URL() string { return "http://" + h.Gateway.Addr }

// StartHBase starts HBase and a gateway. java adds flags to their JVMs, because the default flags favour a fast start over
// speed. It takes about 10 s.
func StartHBase(t testing.TB, java ...string) HBase {
	t.Helper()
	home := filepath.Join(Home(), "hbase")
	if jars, _ := filepath.Glob(filepath.Join(home, "lib", "hbase-rest-*.jar")); len(jars) == 0 {
		Missing(t, "HBase")
	}
	dir := folder(t, "hbase")
	zk, master := FreeAddr(t), FreeAddr(t)
	common := javaFlags(home, map[string]string{
		"hb.data": dir, "hb.zkport": port(zk), "hb.masterport": port(master), "hb.rsport": port(FreeAddr(t)),
		"hbase.log.dir": filepath.Join(dir, "logs"),
	})
	argv := append([]string{program(t, "java"), "-Xms128m", "-Xmx768m"}, append(common, java...)...)
	h := HBase{master: master, Server: run(t, &Server{
		name: "hbase", Dir: dir, Addr: zk, argv: append(argv, "org.apache.hadoop.hbase.master.HMaster", "start"),
		ready: func(string) error { return says(dir, "Master has completed initialization") },
	})}
	h.Gateway = h.AddGateway(t)
	return h
}

// AddGateway starts another REST gateway for the same HBase.
func (h HBase) AddGateway(t testing.TB) *Server {
	t.Helper()
	addr, dir := FreeAddr(t), folder(t, "rest")
	argv := []string{h.argv[0], "-Xmx256m"}
	argv = append(argv, h.argv[3:len(h.argv)-2]...)
	argv = append(argv, "-Dhbase.rest.host=127.0.0.1", "org.apache.hadoop.hbase.rest.RESTServer",
		"-p", port(addr), "--infoport", "-1", "start")
	return run(t, &Server{name: "hbase rest", Dir: dir, Addr: addr, argv: argv, ready: answersHTTP})
}

func javaFlags(home string, properties map[string]string) []string {
	flags := []string{
		"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true",
		"-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true", "--add-modules", "jdk.unsupported",
	}
	for name, value := range properties {
		flags = append(flags, "-D"+name+"="+value)
	}
	for _, p := range []string{"nio", "lang", "util", "io", "net", "lang.reflect", "util.concurrent"} {
		flags = append(flags, "--add-opens", "java.base/java."+p+"=ALL-UNNAMED")
	}
	return append(
		flags,
		"--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens", "java.base/jdk.internal.ref=ALL-UNNAMED",
		"--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED", "--add-exports", "java.security.jgss/sun.security.krb5=ALL-UNNAMED",
		"--add-exports", "java.base/sun.net.dns=ALL-UNNAMED", "--add-exports", "java.base/sun.net.util=ALL-UNNAMED",
		"-cp", filepath.Join(home, "conf")+":"+filepath.Join(home, "lib", "*"),
	)
}

func port(addr string) string {
	_, p, _ := net.SplitHostPort(addr)
	return p
}

// says returns an error unless a server's log has a line.
func says(dir, line string) error {
	b, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	if !bytes.Contains(b, []byte(line)) {
		return fmt.Errorf("no %q in its log", line)
	}
	return nil
}

func answersHTTP(addr string) error {
	client := http.Client{Timeout: 2 * time.Second}
	resp, err := client.Get("http://" + addr + "/version")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s", resp.Status)
	}
	return nil
}
