"""The program that `neardup spark dedup|pairs|passages` starts with spark-submit: it reads files and writes a folder."""

import json
import sys
import time

from pyspark.sql import Observation, SparkSession, functions as F

from .._command import Error
from . import _decide, _files, _jar, _passages
from ._job import Job, digest
from ._places import CO_PARTITION, classic
from ._small import explained

CONFLICTS = "array<struct<kind:string,a:string,b:string>>"


def main(path):
    with open(path, encoding="utf-8") as f:
        spec = json.load(f)
    try:
        _jar.check()
        spark = SparkSession.builder.appName("neardup " + spec["verb"]).getOrCreate()
        classic(spark)
        spark.sparkContext.setLogLevel(spec.get("log") or "ERROR")
        with explained():
            summary = run(spark, spec, told, lambda note: print("note:", note, file=sys.stderr, flush=True))
        with open(spec["summary"], "w", encoding="utf-8") as f:
            json.dump(summary, f)
        spark.stop()
    except Error as e:
        sys.exit(f"neardup: {e}")


def told(step):
    """Prints progress."""
    print(time.strftime("%H:%M:%S"), step, file=sys.stderr, flush=True)


def run(spark, spec, tell=lambda step: None, note=lambda text: None) -> dict:
    """Runs spec in a session, and returns the summary."""
    begun = time.time()
    with _files.Output(spark, spec["out"], note) as out:
        spark.sparkContext.setCheckpointDir(out.path("_work"))
        most = spec.get("partitions")
        if most:
            spark.conf.set("spark.sql.shuffle.partitions", most)  # a number passed to repartition would hold even for few rows
        spark.conf.set(CO_PARTITION, "false")
        job = Job(spark, {}, flags=spec["method"], tell=tell, note=note, pieces=most, against=spec.get("against"), of=("passages",) if spec["verb"] == "passages" else ())
        with job.step("read"):
            source = _files.read(job, spec["inputs"], spec["format"], spec["input"], note)
        summary = {"verb": spec["verb"]}
        if spec["verb"] == "dedup":
            dedup(job, spec, source, out, summary)
        elif spec["verb"] == "passages":
            _passages.write(job, spec, source, out, summary)
        else:
            found = _decide.list_pairs(job, source.documents, spec.get("overrides") or None, spec.get("variants", False))
            source.check(job, spec["input"])
            found = found.orderBy("place_b", "place_a")
            with job.step("pairs"):
                found.write.option("sep", "\t").option("header", True).option("quote", "").option("escape", "").csv(out.path("pairs"))
                summary["pairs"] = spark.read.text(out.path("pairs")).where(~F.col("value").startswith("id_a\t")).count()
        rejects = source.rejects(job)
        summary["rejected"] = 0 if rejects is None else rejects.count()
        if summary["rejected"]:
            rejects.select(F.to_json(F.struct("file", "line", "reason")).alias("value")).write.text(out.path("rejects"))
        summary["seconds"] = round(time.time() - begun, 3)
        out.write("summary.json", json.dumps(summary, indent=2) + "\n")
        out.remove("_work")
        out.commit()
    return summary


def dedup(job, spec, source, out, summary):
    counts = {}
    decided = _decide.decide(job, source.documents, spec.get("overrides") or None, counts=counts)
    source.check(job, spec["input"])
    decisions, made, written = decided.decisions, Observation(), Observation()
    in_order = (lambda rows: rows) if source.documents.ordered else (lambda rows: rows.orderBy("place"))
    facts = F.from_json("conflicts", CONFLICTS)
    line = F.to_json(F.struct(
        "id", "decision", "leader", "similarity", "distance", F.col("variant_of").alias("variantOf"), facts.alias("conflicts"), "method", "basis"))
    compression = spec.get("compression") or "none"
    with job.step("decisions"):
        new, rows = F.col("decision") == "new", F.count_if
        counted = in_order(decisions).observe(
            made, F.count(F.lit(1)).alias("documents"), rows(new).alias("kept"), rows(F.col("variant_of").isNotNull()).alias("variants"),
            rows(F.col("basis") == "equal text").alias("equal"), rows(F.col("basis") == "no text").alias("blank"),
            F.coalesce(F.bit_xor(F.when(new, F.col("check"))), F.lit(0)).alias("checks"))
        counted.select(line.alias("value")).write.option("compression", compression).text(out.path("decisions"))
    with job.step("kept"):
        # Each text is checked against the one that was decided, all in one pass without a shuffle.
        checks = F.coalesce(F.bit_xor(F.xxhash64("text")), F.lit(0)).alias("checks")
        kept = source.kept(lambda rows: in_order(decided.kept(rows)).observe(written, F.count(F.lit(1)).alias("kept"), checks))
        writer = kept.write.format(source.format)
        (writer if source.format == "parquet" else writer.option("compression", compression)).save(out.path("kept"))
    if source.ranks:
        out.arrange("decisions", source.ranks)
        out.arrange("kept", source.ranks)
    with job.step("digest"):
        total = digest(decisions)
    sums = dict(made.get)
    if (written.get["kept"], written.get["checks"]) != (sums["kept"], sums.pop("checks")):
        raise Error(f"of {sums['kept']} texts to keep {written.get['kept']} were written, or other texts: the input has changed meanwhile")
    summary.update(
        method=counts["method"], **sums, removed=sums["documents"] - sums["kept"],
        candidates=counts["candidates"], inComponents=counts["in_components"], largestComponent=counts["largest_component"], overrides=counts["overrides"], digest=total)


if __name__ == "__main__":
    main(sys.argv[1])
