package services

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// AddRegionServer starts another region server of the same HBase, to which regions can be moved. It takes about 5 s.
func (h HBase) AddRegionServer(t testing.TB) *Server {
	t.Helper()
	home, dir, addr := filepath.Join(Home(), "hbase"), folder(t, "hbase-rs"), FreeAddr(t)
	// Region servers can only be added in distributed mode.
	site, err := os.ReadFile(filepath.Join(home, "conf", "hbase-site.xml"))
	if err != nil {
		t.Fatal(err)
	}
	const alone, many = "<name>hbase.cluster.distributed</name><value>false<", "<name>hbase.cluster.distributed</name><value>true<"
	if !bytes.Contains(site, []byte(alone)) {
		t.Fatal("hbase-site.xml says otherwise now that there is one process")
	}
	if err := os.WriteFile(filepath.Join(dir, "hbase-site.xml"), bytes.Replace(site, []byte(alone), []byte(many), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	argv := []string{h.argv[0], "-Xms64m", "-Xmx384m"}
	for _, a := range h.argv[3 : len(h.argv)-2] {
		if strings.HasPrefix(a, "-Dhb.rsport=") {
			a = "-Dhb.rsport=" + port(addr)
		}
		if strings.HasPrefix(a, home) { // the class path, in which its own settings come first
			a = dir + ":" + a
		}
		argv = append(argv, a)
	}
	argv = append(argv, "org.apache.hadoop.hbase.regionserver.HRegionServer", "start")
	return run(t, &Server{name: "hbase region server", Dir: dir, Addr: addr, argv: argv, ready: func(string) error {
		return says(dir, "Serving as ")
	}})
}

// moveTime is the timeout for moving a region.
const moveTime = 5 * time.Minute

// MoveRegion moves the first region of a table to another region server, and waits until that serves it. It calls the
// master directly, because the shell takes 10 s to start.
func (h HBase) MoveRegion(table string) error {
	region, before, err := h.region(table)
	if err != nil {
		return fmt.Errorf("find the region of %s: %w", table, err)
	}
	// MoveRegionRequest{region = 1: RegionSpecifier{type = 1: ENCODED_REGION_NAME, value = 2}}. Without a target, the
	// master chooses another server.
	specifier := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 2)
	specifier = appendBytes(specifier, 2, []byte(region))
	if err := h.ask("MoveRegion", appendBytes(nil, 1, specifier)); err != nil {
		return fmt.Errorf("move the region of %s: %w", table, err)
	}
	for end := time.Now().Add(moveTime); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, now, err := h.region(table); err == nil && now != before {
			return nil
		}
	}
	return fmt.Errorf("the region of %s is still on %s after %s", table, before, moveTime)
}

// region returns the encoded name of the first region of a table, which is the part of its name between the last two dots,
// and its server.
func (h HBase) region(table string) (name, server string, err error) {
	req, err := http.NewRequest(http.MethodGet, h.URL()+"/"+table+"/regions", nil)
	if err != nil {
		return "", "", err
	}
	req.Header.Set("Accept", "application/json")
	client := http.Client{Timeout: moveTime}
	resp, err := client.Do(req)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	var info struct {
		Region []struct{ Name, Location string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&info); err != nil || len(info.Region) == 0 {
		return "", "", fmt.Errorf("the gateway answered %s with %d regions: %w", resp.Status, len(info.Region), err)
	}
	name = strings.TrimSuffix(info.Region[0].Name, ".")
	return name[strings.LastIndexByte(name, '.')+1:], info.Region[0].Location, nil
}

// Disable starts to disable or enable a table.
func (h HBase) Disable(table string, disable bool) error {
	method := "EnableTable"
	if disable {
		method = "DisableTable"
	}
	// DisableTableRequest{table_name = 1: TableName{namespace = 1, qualifier = 2}}. EnableTableRequest is the same.
	name := appendBytes(appendBytes(nil, 1, []byte("default")), 2, []byte(table))
	if err := h.ask(method, appendBytes(nil, 1, name)); err != nil {
		return fmt.Errorf("%s %s: %w", method, table, err)
	}
	return nil
}

func appendBytes(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

// ask calls the master. A call begins with the four bytes HBas, a version and the kind of authentication. Then follows
// ConnectionHeader{user_info = 1, service_name = 2}. Then follow RequestHeader{call_id = 1, method_name = 3, request_param
// = 4} and the parameter, each with its length first, and the total length before both. The answer has
// ResponseHeader{call_id = 1, exception = 2} instead.
func (h HBase) ask(method string, parameter []byte) error {
	c, err := net.DialTimeout("tcp", h.master, moveTime)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(moveTime)); err != nil {
		return err
	}
	connection := appendBytes(nil, 1, appendBytes(nil, 1, []byte("neardup")))
	connection = appendBytes(connection, 2, []byte("MasterService"))
	request := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)
	request = appendBytes(request, 3, []byte(method))
	request = protowire.AppendVarint(protowire.AppendTag(request, 4, protowire.VarintType), 1)
	body := protowire.AppendBytes(protowire.AppendBytes(nil, request), parameter)
	message := append([]byte("HBas"), 0, 80)
	message = append(binary.BigEndian.AppendUint32(message, uint32(len(connection))), connection...)
	message = append(binary.BigEndian.AppendUint32(message, uint32(len(body))), body...)
	if _, err := c.Write(message); err != nil {
		return err
	}
	var size uint32
	if err := binary.Read(c, binary.BigEndian, &size); err != nil {
		return err
	}
	answer := make([]byte, min(size, 1<<20))
	if _, err := io.ReadFull(c, answer); err != nil {
		return err
	}
	header, n := protowire.ConsumeBytes(answer)
	if n < 0 {
		return fmt.Errorf("an answer of %d bytes", size)
	}
	for len(header) > 0 {
		field, kind, n := protowire.ConsumeTag(header)
		if n < 0 {
			return fmt.Errorf("an answer of %d bytes", size)
		}
		if field == 2 {
			return fmt.Errorf("the master refuses: %.300q", header)
		}
		m := protowire.ConsumeFieldValue(field, kind, header[n:])
		if m < 0 {
			return fmt.Errorf("an answer of %d bytes", size)
		}
		header = header[n+m:]
	}
	return nil
}
