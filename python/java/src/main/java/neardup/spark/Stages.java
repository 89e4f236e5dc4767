package neardup.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkFiles;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;
import org.apache.spark.util.SerializableConfiguration;
import scala.Tuple2;

/** What Python calls: an object, so that it does not matter which class loader has it. */
public final class Stages {
  /** The rows that a stage makes of rows: see Stage. */
  public RDD<InternalRow> run(RDD<InternalRow> rows, List<List<String>> words, byte[] first, int columns) {
    return rows.toJavaRDD().mapPartitions(new Stage(copied(words), first, columns)).rdd();
  }

  /** Documents of files, of which those of partition i are numbered from begins[i] up to begins[i + 1]. */
  public RDD<InternalRow> files(SparkContext spark, List<String> paths, List<Integer> begins, List<List<String>> words) {
    JavaSparkContext sc = new JavaSparkContext(spark);
    List<List<Tuple2<Long, String>>> parts = new ArrayList<>();
    for (int i = 0; i + 1 < begins.size(); i++) {
      List<Tuple2<Long, String>> part = new ArrayList<>();
      for (int n = begins.get(i); n < begins.get(i + 1); n++) part.add(new Tuple2<>((long) n, paths.get(n)));
      parts.add(part);
    }
    Files read = new Files(copied(words), sc.broadcast(new SerializableConfiguration(spark.hadoopConfiguration())));
    return sc.parallelize(parts, parts.size()).flatMap(List::iterator).flatMap(read).rdd();
  }

  /** Lists that can be sent to executors. */
  private static ArrayList<ArrayList<String>> copied(List<List<String>> words) {
    ArrayList<ArrayList<String>> to = new ArrayList<>();
    for (List<String> word : words) to.add(new ArrayList<>(word));
    return to;
  }

  /**
   * A command line on an executor, and more words. Each word is one string, or what is before the name of a file that was
   * sent, the name, and what is after it. A program that was sent is the executor's $NEARDUP_COMMAND instead, if it has one.
   */
  static List<String> argv(List<? extends List<String>> words, String... more) {
    List<String> argv = new ArrayList<>();
    for (List<String> word : words) {
      argv.add(word.size() == 1 ? word.get(0) : word.get(0) + SparkFiles.get(word.get(1)) + word.get(2));
    }
    String own = System.getenv("NEARDUP_COMMAND");
    if (words.get(0).size() > 1 && own != null && !own.isEmpty()) argv.set(0, own);
    argv.addAll(List.of(more));
    return argv;
  }

  /** For each of n partitions the least int whose hash sends it there, as decimals with commas between. */
  public String labels(int n) {
    int[] found = new int[n];
    Arrays.fill(found, -1);
    for (int label = 0, left = n; left > 0; label++) {
      int at = Math.floorMod(Murmur3_x86_32.hashInt(label, 42), n); // as HashPartitioning has it
      if (found[at] < 0) {
        found[at] = label;
        left--;
      }
    }
    return IntStream.of(found).mapToObj(Integer::toString).collect(Collectors.joining(","));
  }
}
