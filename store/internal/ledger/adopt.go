package ledger

// stamp writes the format of rows into a store that has none.
func stamp(kv KV) error {
	return update(kv, func(b Batch) error {
		was, err := version(b)
		if was == formatVersion {
			err = errStop
		}
		if err != nil {
			return err
		}
		key, version := []byte{spaceFormat}, uint64(formatVersion)
		return b.Set(key, sealed(key, oneUint(&version)))
	})
}
