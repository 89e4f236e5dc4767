"""Makes the jar that runs in Spark's JVMs, where it is not there or older than its source (python/java).

Needs Maven and a JDK of 17 or later. $NEARDUP_JAR is one that was made before.
"""

import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
JAR = os.path.join(HERE, "src", "neardup", "spark", "jar", "neardup-spark.jar")
SOURCE = os.path.join(HERE, "java")


def make():
    """Raises OSError or subprocess.CalledProcessError where that cannot be."""
    given = os.environ.get("NEARDUP_JAR")
    if given:
        shutil.copyfile(given, JAR)
        return
    source = [os.path.join(SOURCE, "pom.xml"), *glob.glob(os.path.join(SOURCE, "src", "**", "*.java"), recursive=True)]
    if os.path.exists(JAR) and os.path.getmtime(JAR) >= max(map(os.path.getmtime, source)):
        return
    if os.path.exists(JAR):
        os.remove(JAR)  # of another source: worse than none
    maven = shutil.which("mvn")
    if not maven:
        raise FileNotFoundError("no Maven (mvn) on PATH")
    subprocess.run([maven, "-B", "-q", "-f", SOURCE, "clean", "package"], check=True)
    shutil.copyfile(os.path.join(SOURCE, "target", "neardup-spark.jar"), JAR)


if __name__ == "__main__":
    try:
        make()
    except (OSError, subprocess.CalledProcessError) as e:
        sys.exit(f"no jar for Spark: {e}; it needs Maven and a JDK of 17 or later (Debian's maven and openjdk-17-jdk-headless)")
