"""Any plan, column, text, method and setting, on both paths: each decision is that of the command for the same documents in the same order."""

import contextlib
import json
import os
import subprocess

from session import Documents, lines

PATHS = ({}, {"one_task": 0, "partitions": 2})  # one task, and the stages of a cluster


class Matrix(Documents):
    def both(self, name, df, texts, flags=(), count=None, **options):
        """The decisions of both paths for the documents of df, count of them, are those of the command."""
        from neardup.spark._places import whole

        for path in PATHS if whole(self.spark) else PATHS[:1]:
            with self.subTest(name, **path):
                got = self.agrees(df, texts, flags, **path, **options)
                self.assertEqual(len(got), len(got) if count is None else count)
                self.assertEqual(len({r["place"] for r in got}), len(got))

    def test_plans(self):
        from pyspark.sql import functions as F

        from neardup.spark._small import pinned

        documents = self.documents(60)
        texts = dict(documents)
        n = len(documents)
        df = self.frame_of(documents)
        other = self.frame_of([(i, "x") for i, _ in documents[::2]], "id string, label string")
        path = os.path.join(self.folder.name, "parquet")
        df.withColumn("day", F.substring("id", 2, 1)).write.partitionBy("day").parquet(path)
        df.createOrReplaceTempView("documents")
        self.addCleanup(self.spark.catalog.dropTempView, "documents")
        df.write.saveAsTable("matrix")
        self.addCleanup(self.spark.sql, "DROP TABLE matrix")
        cached = df.repartition(4).cache()
        self.addCleanup(cached.unpersist)
        same = F.udf(lambda t: t, "string")
        for name, plan, count in [
            ("as it is", df, n),
            ("one partition", df.coalesce(1), n),
            ("400 partitions", df.repartition(400), n),
            ("sorted", df.sort("text"), n),
            ("rand", df.where(F.rand(7) < 0.7), None),
            ("join", df.join(other, "id"), (n + 1) // 2),
            ("union", df.where("id < 'd5'").union(df.where("id >= 'd5'")), n),
            ("dropDuplicates", df.dropDuplicates(["text"]), len(set(texts.values()))),
            ("cached", cached, n),
            ("checkpointed", pinned(df), n),  # not over Connect of Spark 3.5
            ("partitioned", self.spark.read.parquet(path), n),
            ("pruned", self.spark.read.parquet(path).where("day = '1'"), sum(i[1] == "1" for i, _ in documents)),
            ("table", self.spark.table("matrix"), n),
            ("view", self.spark.sql("select * from documents where id in (select id from documents)"), n),
            ("function", df.withColumn("text", same("text")), n),
            ("empty", df.where("false"), 0),
            ("one row", df.limit(1), 1),
        ]:
            self.both(name, plan, texts, count=count)

    def test_columns(self):
        from pyspark.sql import functions as F

        documents = [(i, t) for i, (_, t) in enumerate(self.documents(60))]
        texts = {str(i): t for i, t in documents}
        df = self.frame_of(documents, "id long, text string")
        nested = df.select(F.struct("id", F.struct(F.col("text").alias("body"))).alias("doc"))
        for name, plan, options in [
            ("long", df, {}),
            ("decimal", df.withColumn("id", F.col("id").cast("decimal(20,0)")), {}),
            ("bytes", df.withColumn("id", F.col("id").cast("string").cast("binary")), {}),
            ("nested", nested, {"id": "doc.id", "text": "doc.col2.body"}),
            ("ordered", df.repartition(3), {"order": ["text"]}),
        ]:
            self.both(name, plan, texts, **options)

    def test_texts_and_methods(self):
        sms = [t for _, t in self.documents(30)]
        chinese = [json.loads(r)["text"] for r in lines("zh_lctt_proofread/docs.jsonl.zst", 40)]
        chain = [" ".join(f"w{i + j}" for j in range(40)) for i in range(0, 6000, 2)]
        template = [f"Dear customer {i}, your parcel number {i * 37} leaves our house on day {i % 28} of this month and arrives soon." for i in range(120)]
        for name, texts, flags in [
            ("half are one text", ["the same text of some words"] * 100 + sms, []),
            ("a template", template + sms * 3, []),
            ("Chinese", chinese, []),
            ("a chain of 3,000", chain, ["method=minhash shingle=words:2"]),
            ("no text", ["", " ", None, *sms], []),
        ] + [(method, sms, ["method=" + method]) for method in ("exact", "minhash", "simhash", "ngram", "jaccard", "minhash lossless=.9")]:
            documents = [(f"d{i}", t) for i, t in enumerate(texts)]
            self.both(name, self.frame_of(documents), dict(documents), flags, len(documents), **dict(f.split("=", 1) for f in flags))

    def test_settings(self):
        documents = self.documents(40)
        for name, value in [
            ("spark.sql.adaptive.enabled", "false"), ("spark.sql.execution.arrow.pyspark.enabled", "true"), ("spark.sql.execution.arrow.maxRecordsPerBatch", "7"),
            ("spark.sql.ansi.enabled", "false"), ("spark.sql.session.timeZone", "Asia/Shanghai"), ("spark.sql.shuffle.partitions", "1"),
            ("spark.sql.autoBroadcastJoinThreshold", "-1"), ("spark.sql.caseSensitive", "true"),
        ]:
            with self.setting(name, value):
                self.both(name, self.frame_of(documents).repartition(3), dict(documents))

    @contextlib.contextmanager
    def setting(self, name, value):
        before = self.spark.conf.get(name)
        self.spark.conf.set(name, value)
        try:
            yield
        finally:
            self.spark.conf.set(name, before)

    def test_rulings_and_an_index(self):
        documents = self.documents(100)
        texts, df = dict(documents), self.frame_of(documents)
        found = self.agrees(df, texts)
        removed = [d for d in found if d["decision"] == "duplicate"]
        ruled = self.write("rulings.jsonl", [json.dumps({"a": d["id"], "b": d["leader"], "link": "cannot"}) for d in removed[::2]] + [json.dumps({"a": "d1", "b": "d7", "link": "must"})])
        self.both("rulings", df, texts, ["overrides=" + ruled], overrides=ruled)
        self.assertNotEqual(self.agrees(df, texts, ["overrides=" + ruled], overrides=ruled), found)
        index = os.path.join(self.folder.name, "index")
        subprocess.run(["neardup", "index", "create", "--method=minhash", index], check=True)
        old = self.write("old.jsonl", [json.dumps({"id": "old " + i, "text": t}) for i, t in documents[::3]])
        subprocess.run(["neardup", "index", "add", "-q", index, old], check=True)
        self.both("against", df, texts, ["against=" + index], against=index)
        against = self.agrees(df, texts, ["against=" + index], against=index)
        self.assertGreater(sum((d["leader"] or "").startswith("old ") for d in against), 20)
