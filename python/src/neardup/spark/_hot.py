"""Hot buckets, where what is left is decided on the driver: a component of them is decided as one machine does it.

Two texts that share a hot bucket, or have an edge, are of one component. Nothing outside of
it says anything about its texts, so that the stage `decide`, which is `neardup dedup` over its documents in
their order, decides them as it would among all: in one pass, whatever the texts of a bucket are to each other.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyspark.sql import functions as F

from . import _stage
from ._verify import FEW

TEXTS = 4096  # of a task, about, if its components are smaller


def components(n, a, b):
    """For each of n nodes the least node of its component, of edges between a[i] and b[i]."""
    label = np.arange(n)
    while True:
        x, y = label[a], label[b]
        apart = x != y
        if not apart.any():
            return label
        a, b, x, y = a[apart], b[apart], x[apart], y[apart]
        # Each root that meets a smaller one goes below it: at least half of those that are left.
        np.minimum.at(label, np.maximum(x, y), np.minimum(x, y))
        while True:
            up = label[label]
            if np.array_equal(up, label):
                break
            label = up


class Hot:
    """The components of texts that share hot buckets; postings are (key, place)."""

    def __init__(self, key, place):
        order = np.lexsort((place, key))
        self.key, self.place = key[order], place[order]
        begins = np.flatnonzero(np.diff(self.key, prepend=self.key[0] - 1))
        self.first = np.repeat(self.place[begins], np.diff(begins, append=len(self.key)))  # of the bucket
        self.none = np.zeros(0, np.int64)
        self.join(self.none, self.none)

    def join(self, later, earlier):
        """Adds the edges, of which those that reach no hot bucket are left out."""
        nodes = np.unique(np.concatenate([self.place, later, earlier]))
        at = lambda places: np.searchsorted(nodes, places)
        label = components(len(nodes), at(np.concatenate([self.place, later])), at(np.concatenate([self.first, earlier])))
        hot = np.isin(label, label[at(self.place)])
        self.nodes, self.label = nodes[hot], label[hot]

    def has(self, places):
        return np.isin(places, self.nodes)

    def within(self, later, earlier):
        """Of pairs those of one component."""
        both = self.has(later) & self.has(earlier)
        label = lambda places: self.label[np.searchsorted(self.nodes, places[both])]
        both[both] = label(later) == label(earlier)
        return both

    def parts(self, texts, most):
        """For each node the number of a task: components stay whole, one after the other, so many texts a task, or most tasks."""
        _, component, sizes = np.unique(self.label, return_inverse=True, return_counts=True)
        tasks = min(most, -(-len(self.nodes) // texts))
        before = np.cumsum(sizes) - sizes
        return (before * tasks // len(self.nodes))[component]


def decided(job, docs, hot, copies, ruled, conflicts) -> pa.Table:
    """The edges that decide all documents of the components: columns of EDGES. copies: (place, first), of texts in them."""
    part = np.asarray(job.labels, np.int32)[hot.parts(TEXTS, len(job.labels))]
    of_copy = part[np.searchsorted(hot.nodes, copies["first"].to_numpy())]
    need = pa.table({"part": np.concatenate([part, of_copy]), "place": np.concatenate([hot.nodes, copies["place"].to_numpy()])})
    rulings = [(a, b, link) for link in ("must", "cannot") for a, b in sorted(getattr(ruled, link))]
    rows = job.spark.createDataFrame(need)
    rows = docs.rows.select("place", "text").join(F.broadcast(rows) if need.num_rows < FEW else rows, "place")
    rows = job.by_part(rows).sortWithinPartitions("place")
    return job.stage(rows, _stage.decide(job.worker, docs.raw, rulings, conflicts), _stage.EDGES).toArrow().cast(_stage.EDGE_SCHEMA)
