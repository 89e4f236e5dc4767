package neardup.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.SplittableCompressionCodec;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;
import org.apache.spark.util.SerializableConfiguration;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** What Python calls: an object, so that it does not matter which class loader has it. */
public final class Stages {
  /** The rows that a stage makes of rows: see Stage. */
  public RDD<InternalRow> run(RDD<InternalRow> rows, List<List<String>> words, byte[] first, int columns) {
    return rows.toJavaRDD().mapPartitions(new Stage(new Command(words), first, columns)).rdd();
  }

  /** Rows of a plan as they are kept: see Packed. */
  public RDD<byte[]> packed(RDD<InternalRow> rows) {
    return rows.toJavaRDD().mapPartitions(new Packed.Pack()).rdd();
  }

  /** How many rows are packed; a job. */
  public long count(RDD<byte[]> packed) {
    return packed.toJavaRDD().mapPartitions(new Packed.Count()).collect().stream().mapToLong(n -> n).sum();
  }

  /** The rows again. */
  public RDD<InternalRow> unpacked(RDD<byte[]> packed, int columns) {
    return packed.toJavaRDD().mapPartitions(new Packed.Unpack(columns)).rdd();
  }

  /** Edges to fewer of the same components: see Forest. */
  public RDD<InternalRow> forest(RDD<InternalRow> edges, int held) {
    return edges.toJavaRDD().mapPartitions(new Forest(held)).rdd();
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
    return sc.parallelize(parts, parts.size()).flatMap(List::iterator).mapPartitions(new Files(new Command(words), conf(spark))).rdd();
  }

  /** Of files, whose names a zero byte parts, which can be read but as a whole: 1. */
  public byte[] solid(SparkContext spark, String paths) {
    CompressionCodecFactory codecs = new CompressionCodecFactory(spark.hadoopConfiguration());
    String[] names = paths.split("\0");
    byte[] solid = new byte[names.length];
    for (int i = 0; i < names.length; i++) {
      CompressionCodec codec = codecs.getCodec(new Path(names[i]));
      if (codec != null && !(codec instanceof SplittableCompressionCodec)) solid[i] = 1;
    }
    return solid;
  }

  /**
   * Lines of pieces of files. pieces: little-endian numbers, of each its file, its begin and its end. firsts: of each
   * partition its first piece. A place begins with the number of the piece.
   */
  public RDD<InternalRow> lines(SparkContext spark, String paths, byte[] pieces, byte[] firsts) throws IOException {
    String[] names = paths.split("\0");
    long[] cuts = numbers(pieces), begins = Arrays.copyOf(numbers(firsts), firsts.length / 8 + 1);
    begins[begins.length - 1] = cuts.length / 3;
    List<Tuple2<Tuple2<long[], String[]>, Seq<String>>> parts = new ArrayList<>();
    for (int i = 0; i + 1 < begins.length; i++) {
      int first = (int) begins[i], n = (int) begins[i + 1] - first;
      long[] of = Arrays.copyOfRange(cuts, 3 * first, 3 * (first + n));
      String[] named = new String[n];
      for (int j = 0; j < n; j++) {
        named[j] = names[(int) of[3 * j]];
        of[3 * j] = first + j;
      }
      parts.add(new Tuple2<>(new Tuple2<>(of, named), hosts(new Path(named[0]), of[1], of[2], spark.hadoopConfiguration())));
    }
    ClassTag<Tuple2<long[], String[]>> tag = ClassTag$.MODULE$.apply(Tuple2.class);
    RDD<Tuple2<long[], String[]>> rdd = spark.makeRDD(CollectionConverters.asScala(parts).toSeq(), tag);
    return rdd.toJavaRDD().mapPartitions(new Splits(conf(spark))).rdd();
  }

  /** The machines that have a piece of a file. */
  private static Seq<String> hosts(Path path, long begin, long end, Configuration conf) throws IOException {
    List<String> hosts = new ArrayList<>();
    for (BlockLocation block : path.getFileSystem(conf).getFileBlockLocations(new FileStatus(end, false, 1, end, 0, path), begin, 1)) {
      for (String host : block.getHosts()) if (!host.equals("localhost")) hosts.add(host);
    }
    return CollectionConverters.asScala(hosts).toSeq();
  }

  private static Broadcast<SerializableConfiguration> conf(SparkContext spark) {
    return new JavaSparkContext(spark).broadcast(new SerializableConfiguration(spark.hadoopConfiguration()));
  }

  private static long[] numbers(byte[] packed) {
    long[] of = new long[packed.length / 8];
    ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(of);
    return of;
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
