"""The table function of SQL, which decides in one task."""

from ._columns import MOST, size_of
from ._places import session_of
from ._small import DECISIONS, argv, python_of, task


def register(spark, name="neardup_dedup"):
    """Registers a function of SQL for this session of Spark 4 or later.

    SELECT * FROM neardup_dedup(TABLE(docs), id => 'nid', text => 'body', method => 'minhash') gives the columns of DECISIONS. Options
    are those of dedup, order => 'time' that of the documents, a column. place is the number of a document in this order.
    """
    from pyspark.sql.functions import udtf

    session = session_of(spark)
    decide, schema, most = task(argv(session)), session.createDataFrame([], DECISIONS).schema, size_of(MOST)

    class Dedup:
        @staticmethod
        def analyze(docs, **options):
            from pyspark.sql.udtf import AnalyzeResult, OrderingColumn

            for column in (options[o].value if o in options else o for o in ("id", "text")):
                if column not in docs.dataType.names:
                    raise Exception("neardup: no column %r; the columns are %s" % (column, ", ".join(docs.dataType.names)))
            return AnalyzeResult(schema, withSinglePartition=True, orderBy=[OrderingColumn(options["order"].value)] if "order" in options else [])

        def __init__(self):
            self.batches, self.rows, self.n = [], [], 0

        def eval(self, docs, id="id", text="text", order=None, **options):
            self.options = options
            key, text = docs[id], docs[text]
            if text is not None and len(text.encode()) > most:
                raise Exception("neardup: a text has more than %d bytes: leave the row out" % most)
            key = key.decode() if isinstance(key, (bytes, bytearray)) else "" if key is None else str(key)
            self.rows.append((self.n, key or str(self.n), text))
            self.n += 1
            if len(self.rows) == 10_000:
                self.pack()

        def pack(self):
            import pyarrow as pa

            kinds = (pa.int64(), pa.string(), pa.string())
            self.batches.append(pa.RecordBatch.from_arrays([pa.array(c, k) for c, k in zip(zip(*self.rows), kinds)], names=["place", "id", "text"]))
            self.rows = []

        def terminate(self):
            if self.rows:
                self.pack()
            if self.batches:
                flags = ["--%s=%s" % (o.replace("_", "-"), str(v).lower() if isinstance(v, bool) else v) for o, v in self.options.items()]
                for made in decide(iter(self.batches), flags):
                    yield from zip(*(column.to_pylist() for column in made.columns))

    with python_of(session):
        session.udtf.register(name, udtf(Dedup))
