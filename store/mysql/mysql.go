// Package mysql implements a sink that stores nid -> docId for every article in MySQL or MariaDB, with the
// decision, its evidence and its time. It also stores the whole log, from which a lost index can be rebuilt.
// (Tested with MariaDB 10.11.)
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/neardup/neardup/docid"
)

// Options configure a database.
type Options struct {
	// Address is mysql://USER:PASSWORD@HOST:PORT/DATABASE.
	Address string
	// Seal, if not nil, encrypts the identities of the indexes. Without it, identities are not stored.
	Seal *Seal
}

// Sink stores decisions in a database. Several servers may feed it, because Apply locks the cursor of a tenant.
type Sink struct {
	db   *sql.DB
	seal *Seal
	kept sync.Map // tenant -> docid.Identity of the index that feeds it through this sink
}

var (
	_ docid.Sink    = (*Sink)(nil)
	_ docid.History = (*Sink)(nil)
)

// Open connects, and creates the tables. It returns ErrInvalid, ErrUnavailable or ErrNewerFormat.
func Open(ctx context.Context, o Options) (*Sink, error) {
	config, err := parse(o.Address)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("%w: address of MySQL: %w", docid.ErrInvalid, err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(8)
	db.SetConnMaxIdleTime(time.Minute)
	s := &Sink{db: db, seal: o.Seal}
	if err := s.create(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// parse parses an address. Other settings keep the server's defaults, except that a value which cannot be stored is an
// error instead of being truncated.
func parse(address string) (*mysql.Config, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "mysql" || u.Host == "" || len(u.Path) < 2 || strings.Contains(u.Path[1:], "/") {
		return nil, fmt.Errorf("%w: invalid address of MySQL (want mysql://USER:PASSWORD@HOST:PORT/DATABASE)", docid.ErrInvalid)
	}
	c := mysql.NewConfig()
	c.Net, c.Addr, c.DBName = "tcp", u.Host, u.Path[1:]
	if u.Port() == "" {
		c.Addr = u.Host + ":3306"
	}
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.Timeout, c.ReadTimeout, c.WriteTimeout = 5*time.Second, 30*time.Second, 30*time.Second
	c.Collation = "utf8mb4_bin"
	c.Params = map[string]string{"sql_mode": "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'"}
	c.InterpolateParams = true
	c.Logger = &mysql.NopLogger{} // the error has the same message
	return c, nil
}

// Close closes the connections. It never fails, because uncommitted deliveries are delivered again.
func (s *Sink) Close() error {
	_ = s.db.Close() // nothing is pending in it
	return nil
}
