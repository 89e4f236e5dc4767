package services

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// MariaDB starts a MariaDB server with an empty database "neardup". Its user root has no password.
func MariaDB(t testing.TB) *Server {
	t.Helper()
	daemon, install := program(t, "mariadbd"), program(t, "mariadb-install-db")
	dir, addr := folder(t, "mariadb"), FreeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	data := filepath.Join(dir, "data")
	account := unprivileged(t, dir)
	out, err := exec.Command(install, "--no-defaults", "--user="+account, "--datadir="+data,
		"--auth-root-authentication-method=normal", "--skip-test-db", "--tmpdir="+dir).CombinedOutput()
	if err != nil {
		t.Fatalf("mariadb-install-db: %v\n%s", err, out)
	}
	if err := os.Mkdir(filepath.Join(data, "neardup"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := chown(filepath.Join(data, "neardup"), account); err != nil {
		t.Fatal(err)
	}
	return run(t, &Server{
		name: "mariadbd", Addr: addr, Dir: dir, ready: greets,
		argv: []string{
			daemon, "--no-defaults", "--user=" + account, "--datadir=" + data, "--port=" + port,
			"--tmpdir=" + dir, "--bind-address=127.0.0.1", "--socket=" + filepath.Join(dir, "s"), "--character-set-server=utf8mb4",
			"--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=64M",
		},
	})
}

// greets waits for the handshake that a MySQL server sends first.
func greets(addr string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	var b [5]byte
	if _, err := c.Read(b[:]); err != nil {
		return err
	}
	if b[4] != 10 {
		return fmt.Errorf("protocol %d", b[4])
	}
	return nil
}

// unprivileged returns an account for the server that is not root, and makes it the owner of the folder.
func unprivileged(t testing.TB, dir string) string {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if me.Uid != "0" {
		return me.Username
	}
	if err := chown(dir, "nobody"); err != nil {
		t.Fatal(err)
	}
	return "nobody"
}

func chown(path, account string) error {
	u, err := user.Lookup(account)
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	if uid == os.Getuid() {
		return nil
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	return os.Chown(path, uid, gid)
}
