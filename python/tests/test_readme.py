"""The first example of the README."""

import pathlib
import unittest

import neardup

README = pathlib.Path(__file__).parent.parent / "README.md"


class Readme(unittest.TestCase):
    def test_first_example(self):
        lines = README.read_text("utf-8").split("```python\n")[1].splitlines()
        self.assertEqual(lines[0], "import neardup")
        got = eval(lines[2], {"neardup": neardup})
        self.assertEqual([d["decision"] for d in got], ["new", "new", "duplicate"])
        self.assertEqual(got[2]["leader"], 0)


if __name__ == "__main__":
    unittest.main()
