package ledger

// stamp writes the format of rows into a store that has none.
func stamp(kv KV) error {
	b := kv.Batch()
	defer b.Close()
	if was, err := version(b); err != nil || was == formatVersion {
		return err
	}
	key, version := []byte{spaceFormat}, uint64(formatVersion)
	if err := b.Set(key, sealed(key, oneUint(&version))); err != nil {
		return err
	}
	return b.Commit()
}
