"""Near-duplicate texts of a Spark DataFrame, decided as `neardup dedup` does.

>>> from neardup.spark import dedup, numbered                      # doctest: +SKIP
>>> news = numbered(spark.read.json("news"))                       # doctest: +SKIP
>>> decisions = dedup(news, id="nid", text="body", threshold=0.7)  # doctest: +SKIP
>>> news.join(decisions.where("decision = 'new'"), "place", "left_semi")          # doctest: +SKIP

Executors run the command as child processes of Spark's JVMs: it is sent to them with a jar, and they need
no Python.
"""

from ._decide import DECISIONS, PAIRS, dedup, pairs
from ._job import digest
from ._passages import passages
from ._pictures import fingerprints
from ._places import numbered
from ._sql import register

__all__ = ["dedup", "pairs", "passages", "digest", "numbered", "fingerprints", "register", "DECISIONS", "PAIRS"]
