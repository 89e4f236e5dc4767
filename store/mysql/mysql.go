// Package mysql is a sink that keeps nid -> docId for every article in MySQL or
// MariaDB, with the decision, its evidence and its time. (Tried with MariaDB
// 10.11.)
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/neardup/neardup/docid"
)

// Sink stores decisions in a database. Several servers may feed one: the cursor
// of a tenant is locked by who applies.
type Sink struct{ db *sql.DB }

var _ docid.Sink = (*Sink)(nil)

// Open connects to mysql://USER:PASSWORD@HOST:PORT/DATABASE and makes or
// migrates the tables. ErrInvalid, ErrUnavailable, ErrNewerFormat.
func Open(ctx context.Context, address string) (*Sink, error) {
	config, err := parse(address)
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
	s := &Sink{db}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// parse reads an address. What is not in it is the server's default, but that
// what it cannot store is an error and not cut.
func parse(address string) (*mysql.Config, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "mysql" || u.Host == "" || len(u.Path) < 2 || strings.Contains(u.Path[1:], "/") {
		return nil, fmt.Errorf("%w: the address of MySQL is mysql://USER:PASSWORD@HOST:PORT/DATABASE", docid.ErrInvalid)
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
	return c, nil
}

// Close lets go of the database.
func (s *Sink) Close() error { return s.db.Close() }

// schemaVersion is raised with each migration.
const schemaVersion = 1

// schema are the tables. Names and texts are compared byte by byte.
var schema = []string{
	`CREATE TABLE IF NOT EXISTS neardup_tenants (
		id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
		name VARBINARY(1024) NOT NULL UNIQUE,
		seq BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'the last change that is here'
	) ENGINE=InnoDB`,
	`CREATE TABLE IF NOT EXISTS neardup_articles (
		tenant INT UNSIGNED NOT NULL,
		nid VARBINARY(1024) NOT NULL,
		docid CHAR(33) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
		leader BIGINT UNSIGNED NOT NULL COMMENT 'the change that made the docId',
		seq BIGINT UNSIGNED NOT NULL COMMENT 'the change that the article came with',
		decision VARCHAR(16) CHARACTER SET ascii NOT NULL,
		stage VARCHAR(16) CHARACTER SET ascii NOT NULL,
		leader_nid VARBINARY(1024) NOT NULL,
		similarity DOUBLE NOT NULL,
		distance INT NULL,
		method VARCHAR(64) NOT NULL,
		basis VARCHAR(255) NOT NULL,
		disagrees BOOLEAN NOT NULL,
		variant_of VARBINARY(1024) NOT NULL,
		time TIMESTAMP(6) NOT NULL,
		heat BIGINT NOT NULL,
		url MEDIUMTEXT NOT NULL,
		title MEDIUMTEXT NOT NULL,
		category MEDIUMTEXT NOT NULL,
		media MEDIUMTEXT NOT NULL,
		PRIMARY KEY (tenant, nid),
		KEY docid (docid, seq),
		KEY leader (tenant, leader, seq)
	) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC`,
	`CREATE TABLE IF NOT EXISTS neardup_parked (
		tenant INT UNSIGNED NOT NULL,
		seq BIGINT UNSIGNED NOT NULL,
		nid VARBINARY(1024) NOT NULL,
		docid CHAR(33) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
		reason TEXT NOT NULL,
		PRIMARY KEY (tenant, seq)
	) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
	`CREATE TABLE IF NOT EXISTS neardup_schema (
		one TINYINT NOT NULL PRIMARY KEY,
		version INT NOT NULL
	) ENGINE=InnoDB`,
}

// migrate makes the tables; done again, it does nothing.
func (s *Sink) migrate(ctx context.Context) error {
	for _, statement := range schema {
		if _, err := s.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%w: make the tables: %w", docid.ErrUnavailable, err)
		}
	}
	if _, err := s.db.ExecContext(ctx, `INSERT IGNORE INTO neardup_schema VALUES (1, ?)`, schemaVersion); err != nil {
		return fmt.Errorf("%w: make the tables: %w", docid.ErrUnavailable, err)
	}
	var version int
	if err := s.db.QueryRowContext(ctx, `SELECT version FROM neardup_schema`).Scan(&version); err != nil {
		return fmt.Errorf("%w: read the version of the tables: %w", docid.ErrUnavailable, err)
	}
	if version > schemaVersion {
		return fmt.Errorf("%w: tables of version %d in MySQL, known are those to %d", docid.ErrNewerFormat, version, schemaVersion)
	}
	return nil
}
