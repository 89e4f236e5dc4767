"""Builds the command for this platform into the package; needs Go."""

import os
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel


class Build(build_py):
    def run(self):
        super().run()
        name = "neardup.exe" if sys.platform == "win32" else "neardup"
        to = os.path.abspath(os.path.join(self.build_lib, "neardup", "bin", name))
        module = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        subprocess.run(
            ["go", "build", "-ldflags=-s -w", "-o", to, "./cmd/neardup"],
            cwd=module, env={"CGO_ENABLED": "0", **os.environ}, check=True,
        )


class Platform(Distribution):
    """The wheel holds a program, so it is of one platform."""

    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """Any Python 3 of that platform will do."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Platform)
