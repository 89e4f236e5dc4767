package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"
	"github.com/neardup/neardup/docid"
)

// migrations lists the statements that make version 1, 2 ... from the previous version. MySQL commits each
// statement by itself, so each can be repeated. Names and texts are compared byte by byte. New columns have
// defaults, because servers of the previous version still write.
var migrations = [][]string{{
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
}, {
	`ALTER TABLE neardup_tenants ADD COLUMN logged BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'the last change that is in neardup_log'`,
	`ALTER TABLE neardup_tenants ADD COLUMN mark VARBINARY(32) NULL COMMENT 'of the index that feeds this: a keyed hash'`,
	`ALTER TABLE neardup_tenants ADD COLUMN identity LONGBLOB NULL COMMENT 'of that index, sealed with NEARDUP_SEAL'`,
	`ALTER TABLE neardup_articles ADD COLUMN image_count MEDIUMTEXT NULL`,
	`ALTER TABLE neardup_articles ADD COLUMN published BIGINT NOT NULL DEFAULT 0 COMMENT 'the time that the article came with'`,
	`CREATE TABLE IF NOT EXISTS neardup_log (
		tenant INT UNSIGNED NOT NULL,
		seq BIGINT UNSIGNED NOT NULL,
		leader BIGINT UNSIGNED NOT NULL COMMENT 'the change that made the docId',
		revises BOOLEAN NOT NULL COMMENT 'an update with a text',
		keeps TINYINT UNSIGNED NOT NULL COMMENT 'the kept copy: 0 stays, 1 is this article, 2 is no more, 3 has another heat, 255 not known',
		names VARBINARY(1024) NOT NULL COMMENT 'keyed hashes of url and title, 16 bytes each',
		entry MEDIUMBLOB NOT NULL COMMENT 'the change',
		PRIMARY KEY (tenant, seq)
	) ENGINE=InnoDB`,
}, {
	`ALTER TABLE neardup_articles ADD COLUMN corrected BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'the change by which a person last moved it, 0: nobody did'`,
	`ALTER TABLE neardup_articles ADD COLUMN corrected_by VARBINARY(1024) NOT NULL DEFAULT '' COMMENT 'who moved it'`,
	`ALTER TABLE neardup_articles ADD COLUMN docid_before CHAR(33) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'the docId that it had before that'`,
}, {
	`ALTER TABLE neardup_log ADD KEY leader (tenant, leader, seq)`,
}, {
	`ALTER TABLE neardup_articles ADD COLUMN images TEXT NULL COMMENT 'the hashes of its pictures, as JSON'`,
}}

// MySQL's error numbers for an existing column or key.
const (
	errDuplicateColumn = 1060
	errDuplicateKey    = 1061
)

// migrate brings the tables to the current version. It can be repeated, and only one server runs it at a time.
func (s *Sink) migrate(ctx context.Context) error {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return making(err)
	}
	defer c.Close()
	var locked sql.NullInt64
	if err := c.QueryRowContext(ctx, `SELECT GET_LOCK('neardup_schema', 20)`).Scan(&locked); err != nil || locked.Int64 != 1 {
		return making(errors.Join(err, errors.New("another server is at it")))
	}
	defer c.ExecContext(context.WithoutCancel(ctx), `DO RELEASE_LOCK('neardup_schema')`) //nolint:errcheck // the end of the connection does it too
	version, err := versionOf(ctx, c)
	if err != nil {
		return making(err)
	}
	if version > len(migrations) {
		return fmt.Errorf("%w: tables of version %d in MySQL, known are those to %d", docid.ErrNewerFormat, version, len(migrations))
	}
	for ; version < len(migrations); version++ {
		for _, statement := range migrations[version] {
			var e *mysql.MySQLError
			if _, err := c.ExecContext(ctx, statement); err != nil && !(errors.As(err, &e) && (e.Number == errDuplicateColumn || e.Number == errDuplicateKey)) {
				return making(err)
			}
		}
		if _, err := c.ExecContext(ctx, `UPDATE neardup_schema SET version = ?`, version+1); err != nil {
			return making(err)
		}
	}
	return nil
}

func making(err error) error {
	return fmt.Errorf("%w: make the tables: %w", docid.ErrUnavailable, err)
}

// versionOf returns the version of the tables, or 0 without tables.
func versionOf(ctx context.Context, c *sql.Conn) (version int, err error) {
	for _, statement := range []string{
		`CREATE TABLE IF NOT EXISTS neardup_schema (one TINYINT NOT NULL PRIMARY KEY, version INT NOT NULL) ENGINE=InnoDB`,
		`INSERT IGNORE INTO neardup_schema VALUES (1, 0)`,
	} {
		if _, err := c.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	err = c.QueryRowContext(ctx, `SELECT version FROM neardup_schema`).Scan(&version)
	return version, err
}
