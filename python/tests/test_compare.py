"""Two texts, and the evidence."""

import pydoc
import unittest

import neardup


class Compare(unittest.TestCase):
    def test_relations(self):
        for a, b, relation in (
            ("The ferry leaves at nine.", "The ferry leaves at nine.", "duplicate"),
            ("The ferry to the island leaves at nine each day.", "The ferry to the island leaves at ten each day.", "variant"),
            ("--text", "-x y", "new"),
        ):
            self.assertEqual(neardup.compare(a, b).relation, relation)

    def test_evidence(self):
        c = neardup.compare("The ferry <b> to the island leaves at nine.", "The ferry <b> to the island leaves at ten.")
        self.assertIn("number", [e["kind"] for e in c.evidence])
        self.assertLess(c.probability, 0.5)
        self.assertEqual(str(c).splitlines()[0], f"variant, probability {c.probability:.4f}")
        self.assertIn("bits  number: nine / ten", str(c))
        self.assertFalse(c["found"])

    def test_html(self):
        page = neardup.compare("price <i>5</i> now", "price <i>6</i> now")._repr_html_()
        self.assertTrue(page.startswith("<table>"))
        self.assertNotIn("<i>", page)

    def test_names(self):
        self.assertEqual(set(dir(neardup)), {*neardup.__all__, "client", "images", "spark", "__version__"})
        self.assertNotIn("inherited from builtins.dict", pydoc.render_doc(neardup))
