"""Puts the command into the package: for GOOS and GOARCH, by default this platform's.

Go builds it, or it is $NEARDUP_BINARY; $NEARDUP_VERSION is the version of the wheel. The jar for Spark is made
where Maven is there: without it all but neardup.spark works, which says so.
"""

import os
import runpy
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

VERSION = os.environ.get("NEARDUP_VERSION", "0.1.0")

# The command is linked statically, so on Linux any C library will do.
TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


def target():
    """The platform of the wheel, as Go names it."""
    return "/".join(subprocess.check_output(["go", "env", "GOOS", "GOARCH"], text=True).split())


class Build(build_py):
    def run(self):
        here = os.path.dirname(os.path.abspath(__file__))
        try:
            runpy.run_path(os.path.join(here, "jar.py"))["make"]()
        except (OSError, subprocess.CalledProcessError) as e:
            print(f"without the jar for Spark: {e}", file=sys.stderr)
        super().run()
        folder = os.path.abspath(os.path.join(self.build_lib, "neardup", "bin"))
        shutil.rmtree(folder, ignore_errors=True)  # that of a wheel for another platform
        os.makedirs(folder)
        to = os.path.join(folder, "neardup.exe" if target().startswith("windows/") else "neardup")
        if "NEARDUP_BINARY" in os.environ:
            shutil.copy(os.environ["NEARDUP_BINARY"], to)
            return
        subprocess.run(
            ["go", "build", "-tags=full", f"-ldflags=-s -w -X main.released={VERSION}", "-o", to, "./cmd/neardup"],
            cwd=os.path.dirname(here), env={"CGO_ENABLED": "0", **os.environ}, check=True,
        )


class Platform(Distribution):
    """The wheel holds a program, so it is of one platform."""

    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """Any Python 3 of that platform will do."""

    def get_tag(self):
        return ("py3", "none", TAGS.get(target()) or super().get_tag()[2])


setup(
    version=VERSION,
    cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Platform,
)
