"""Files and streams of Arrow, by pyarrow, polars and pandas: written by them, and read by them
after neardup has kept some of the rows."""

import datetime
import decimal
import importlib.util
import os
import tempfile
import unittest

from neardup import _command

N = 60
TEXTS = [f"the ferry to island number {i // 2} leaves at nine from the old harbour of port {i // 2}" if i % 7 else None for i in range(N)]


def of_all_types(pa):
    none = lambda values: [None if i % 5 == 2 else v for i, v in enumerate(values)]
    codes, numbers, words = pa.array([i % 2 for i in range(N)], pa.int8()), pa.array(range(N)), pa.array([f"word {i}" for i in range(N)])
    return pa.table({
        "id": numbers, "text": pa.array(TEXTS), "large": pa.array(TEXTS, pa.large_string()), "view": pa.array(TEXTS, pa.string_view()),
        "bytes": pa.array([t and t.encode() for t in TEXTS], pa.binary_view()), "coded": pa.array(TEXTS).dictionary_encode(),
        "flag": pa.array(none([i % 3 == 0 for i in range(N)])), "half": pa.array(none([i / 3 for i in range(N)]), pa.float32()),
        "list": pa.array(none([[f"a{i}", None] * (i % 4) for i in range(N)])), "lists": pa.array([[[i]] * (i % 4) for i in range(N)], pa.large_list(pa.list_(pa.int16()))),
        "somewhere": pa.array(none([[i] * (i % 4) for i in range(N)]), pa.list_view(pa.int16())),
        "far": pa.array(none([[f"a longer word {i}"] * (i % 4) for i in range(N)]), pa.large_list_view(pa.string_view())),
        "pair": pa.array(none([[i, i + 1] for i in range(N)]), pa.list_(pa.int8(), 2)), "map": pa.array(none([[("k", i)] for i in range(N)]), pa.map_(pa.string(), pa.int32())),
        "meta": pa.array(none([{"url": f"http://a/{i}", "kind": f"k{i % 3}"} for i in range(N)]), pa.struct([("url", pa.string()), ("kind", pa.string())])),
        "time": pa.array([datetime.datetime(2026, 1, 1) + datetime.timedelta(days=i) for i in range(N)], pa.timestamp("us", tz="Europe/Berlin")),
        "date": pa.array([datetime.date(2026, 1, 1 + i % 28) for i in range(N)]), "price": pa.array([decimal.Decimal(i) / 4 for i in range(N)], pa.decimal128(10, 2)),
        "code": pa.array([b"%04d" % i for i in range(N)], pa.binary(4)), "nothing": pa.nulls(N),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([5, 20, 23, N], pa.int32()), pa.array(["x", None, "y", "z"])),
        "sparse": pa.UnionArray.from_sparse(codes, [numbers, words]),
        "dense": pa.UnionArray.from_dense(codes, pa.array([i // 2 for i in range(N)], pa.int32()), [numbers, words]),
    }).replace_schema_metadata({"made": "by us"})


class Arrow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "pyarrow is not installed")
    def test_every_type(self):
        import pyarrow as pa
        import pyarrow.compute

        table = of_all_types(pa)
        open_as = {True: pa.ipc.open_stream, False: pa.ipc.open_file}
        for stream, codec, field in ((False, None, "text"), (True, None, "coded"), (False, "zstd", "view"), (True, "lz4", "bytes"), (False, "lz4", "large")):
            with (pa.ipc.new_stream if stream else pa.ipc.new_file)("in.arrow", table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as f:
                f.write_table(table.combine_chunks(), max_chunksize=17)
            _command.run(["dedup", "-q", "--text-field", field, "--title-field", "meta.url", "in.arrow", "--overwrite", "--out", "kept.arrow", "--write", "groups:groups.arrows"])
            with open("kept.arrow", "rb") as f:
                kept = open_as[stream](f).read_all()
            kept.validate(full=True)
            self.assertLess(kept.num_rows, N)
            self.assertTrue(kept.schema.equals(table.schema, check_metadata=True))
            self.assertEqual(kept.to_pylist(), [row for row in table.to_pylist() if row["id"] in set(kept["id"].to_pylist())])
            with open("groups.arrows", "rb") as f:
                groups = open_as[True](f).read_all()
            groups.validate(full=True)
            self.assertEqual(groups.select(table.column_names).to_pylist(), table.to_pylist())
            new = groups.select(["id", "decision"]).filter(pa.compute.equal(groups["decision"], "new"))
            self.assertEqual(new["id"].to_pylist(), kept["id"].to_pylist())
            with open("in.arrow", "rb") as f:
                piped = _command.run_bytes(["dedup", "-q", "--text-field", field, "--title-field", "meta.url", "-", "--out", "-"], f.read())
            self.assertEqual(pa.ipc.open_stream(piped).read_all().to_pylist(), kept.to_pylist())

    @unittest.skipUnless(importlib.util.find_spec("polars"), "polars is not installed")
    def test_polars(self):
        import polars

        frame = polars.DataFrame({
            "id": range(N), "text": TEXTS, "kind": polars.Series([f"k{i % 3}" for i in range(N)], dtype=polars.Categorical), "list": [[i, None] for i in range(N)],
            "meta": [{"url": f"http://a/{i}", "n": i} for i in range(N)], "enum": polars.Series(["x", "y"] * (N // 2), dtype=polars.Enum(["x", "y"])), "nothing": [None] * N,
            "price": polars.Series([i / 4 for i in range(N)]).cast(polars.Decimal(10, 2)),
        })
        for kind in "ipc", "ipc_stream":
            for codec in "uncompressed", "lz4", "zstd":
                getattr(frame, "write_" + kind)("in.arrow", compression=codec)
                _command.run(["dedup", "-q", "in.arrow", "--overwrite", "--out", "kept.arrow"])
                kept = getattr(polars, "read_" + kind)("kept.arrow")
                self.assertLess(kept.height, N)
                self.assertEqual(kept.schema, frame.schema)
                self.assertTrue(kept.equals(frame.filter(polars.col("id").is_in(kept["id"].implode()))))

    @unittest.skipUnless(importlib.util.find_spec("pandas") and importlib.util.find_spec("pyarrow"), "pandas or pyarrow is not installed")
    def test_feather(self):
        import pandas

        frame = pandas.DataFrame({"text": TEXTS, "kind": pandas.Categorical([f"k{i % 3}" for i in range(N)])})
        frame.to_feather("in.feather")
        _command.run(["dedup", "-q", "in.feather", "--out", "kept.feather", "--write", "clusters:clusters.feather", "--write", "removed:removed.feather"])
        kept, clusters, removed = (pandas.read_feather(n + ".feather") for n in ("kept", "clusters", "removed"))
        self.assertEqual((list(kept.columns), kept["kind"].dtype), (["text", "kind"], frame["kind"].dtype))
        self.assertEqual(len(kept) + len(removed), N)
        self.assertEqual(clusters.columns.tolist(), ["leader", "size", "id", "similarity"])


if __name__ == "__main__":
    unittest.main()
