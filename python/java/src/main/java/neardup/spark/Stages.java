package neardup.spark;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;
import org.apache.spark.util.SerializableConfiguration;
import scala.Tuple2;

/** What Python calls: an object, so that it does not matter which class loader has it. */
public final class Stages {
  /**
   * The rows that a stage makes of rows. in and out: see Columns; of a line more fields than rows is an error, and out may be
   * empty: all that a child writes is one row. parts: into how many it divides packs. starts: little-endian numbers, of
   * each piece that of its first document. first: lines before those of each partition.
   */
  public RDD<InternalRow> run(RDD<InternalRow> rows, List<List<String>> words, String in, byte[] first, String out, int parts, byte[] starts) {
    return run(rows, words, in, first, out, parts, starts, null);
  }

  /** Rows of a schema, of which the last column is a line, with what a stage makes of it in its place: see run. */
  public RDD<InternalRow> beside(RDD<InternalRow> rows, StructType schema, List<List<String>> words, String out) {
    DataType[] types = new DataType[schema.length() - 1];
    for (int i = 0; i < types.length; i++) types[i] = schema.apply(i).dataType();
    return run(rows, words, "r", new byte[0], out, 0, new byte[0], types);
  }

  private RDD<InternalRow> run(RDD<InternalRow> rows, List<List<String>> words, String in, byte[] first, String out, int parts, byte[] starts, DataType[] beside) {
    int[] labels = parts == 0 ? null : labelsOf(parts);
    long[] of = new long[starts.length / 8];
    ByteBuffer.wrap(starts).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(of);
    Columns made = out.isEmpty() ? null : new Columns(out, labels, of);
    return rows.toJavaRDD().mapPartitions(new Stage(new Command(words), new Columns(in, null, of), first, made, beside)).rdd();
  }

  /** Edges to fewer of the same components: see Forest. */
  public RDD<InternalRow> forest(RDD<InternalRow> edges, boolean stars, int held) {
    return edges.toJavaRDD().mapPartitions(new Forest(stars, held)).rdd();
  }

  /** Documents of files, of which those of partition i are numbered from begins[i] up to begins[i + 1]. */
  public RDD<InternalRow> files(SparkContext spark, List<String> paths, List<Integer> begins, List<List<String>> words) {
    JavaSparkContext sc = new JavaSparkContext(spark);
    Broadcast<SerializableConfiguration> conf = sc.broadcast(new SerializableConfiguration(spark.hadoopConfiguration()));
    List<List<Tuple2<Long, String>>> parts = new ArrayList<>();
    for (int i = 0; i + 1 < begins.size(); i++) {
      List<Tuple2<Long, String>> part = new ArrayList<>();
      for (int n = begins.get(i); n < begins.get(i + 1); n++) part.add(new Tuple2<>((long) n, paths.get(n)));
      parts.add(part);
    }
    return sc.parallelize(parts, parts.size()).flatMap(List::iterator).mapPartitions(new Files(new Command(words), conf)).rdd();
  }

  /** For each of n partitions the least int whose hash sends it there, as decimals with commas between. */
  public String labels(int n) {
    return IntStream.of(labelsOf(n)).mapToObj(Integer::toString).collect(Collectors.joining(","));
  }

  private static int[] labelsOf(int n) {
    int[] found = new int[n];
    Arrays.fill(found, -1);
    for (int label = 0, left = n; left > 0; label++) {
      int at = Math.floorMod(Murmur3_x86_32.hashInt(label, 42), n); // as HashPartitioning has it
      if (found[at] < 0) {
        found[at] = label;
        left--;
      }
    }
    return found;
  }
}
