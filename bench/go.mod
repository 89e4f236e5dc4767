// The figures of neardup: what measures the product and is no part of it.
module github.com/neardup/neardup/bench

go 1.26.0

replace github.com/neardup/neardup => ..

require (
	github.com/go-sql-driver/mysql v1.10.1
	github.com/klauspost/compress v1.20.3
	github.com/neardup/neardup v0.0.0
	github.com/redis/rueidis v1.0.79
	github.com/zeebo/xxh3 v1.1.0
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/RaduBerinde/btreemap v0.0.0-20250419174037-3d62b7205d54 // indirect
	github.com/andybalholm/brotli v1.2.0 // indirect
	github.com/gogs/chardet v0.0.0-20211120154057-b7413eaefb8f // indirect
	github.com/klauspost/cpuid/v2 v2.3.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
