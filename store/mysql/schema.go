package mysql

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// version is the version of the tables. A later version may only add columns with defaults, because servers of the previous
// version still write.
const version = 1

// tables lists the statements that make the tables. MySQL commits each statement separately, so each must be repeatable.
// Names and texts are compared byte by byte.
var tables = []string{
	`CREATE TABLE IF NOT EXISTS neardup_tenants (
		id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
		name VARBINARY(1024) NOT NULL UNIQUE,
		logged BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'the last change that is here',
		mark VARBINARY(32) NULL COMMENT 'of the index that feeds this: a keyed hash',
		identity LONGBLOB NULL COMMENT 'of that index, sealed with NEARDUP_SEAL'
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
		image_count MEDIUMTEXT NULL,
		published BIGINT NOT NULL DEFAULT 0 COMMENT 'the time that the article came with',
		images TEXT NULL COMMENT 'the hashes of its pictures, as JSON',
		corrected BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'the change by which a person last moved it, 0 if never',
		corrected_by VARBINARY(1024) NOT NULL DEFAULT '' COMMENT 'who moved it',
		docid_before CHAR(33) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'the docId that it had before that',
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
	`CREATE TABLE IF NOT EXISTS neardup_log (
		tenant INT UNSIGNED NOT NULL,
		seq BIGINT UNSIGNED NOT NULL,
		leader BIGINT UNSIGNED NOT NULL COMMENT 'the change that made the docId',
		revises BOOLEAN NOT NULL COMMENT 'an update with a text',
		keeps TINYINT UNSIGNED NOT NULL COMMENT 'the kept copy: 0 stays, 1 is this article, 2 is no more, 3 has another heat, 255 not known',
		names VARBINARY(1024) NOT NULL COMMENT 'keyed hashes of url and title, 16 bytes each',
		entry MEDIUMBLOB NOT NULL COMMENT 'the change',
		PRIMARY KEY (tenant, seq),
		KEY leader (tenant, leader, seq)
	) ENGINE=InnoDB`,
	`CREATE TABLE IF NOT EXISTS neardup_schema (one TINYINT NOT NULL PRIMARY KEY, version INT NOT NULL) ENGINE=InnoDB`,
	`INSERT IGNORE INTO neardup_schema VALUES (1, 1)`,
}

// create makes the tables, unless they exist.
func (s *Sink) create(ctx context.Context) error {
	making := func(err error) error { return fmt.Errorf("%w: create the tables: %w", docid.ErrUnavailable, err) }
	for _, statement := range tables {
		if _, err := s.db.ExecContext(ctx, statement); err != nil {
			return making(err)
		}
	}
	var has int
	if err := s.db.QueryRowContext(ctx, `SELECT version FROM neardup_schema`).Scan(&has); err != nil {
		return making(err)
	}
	if has > version {
		return fmt.Errorf("%w: the tables in MySQL have version %d (want at most %d)", docid.ErrNewerFormat, has, version)
	}
	return nil
}
