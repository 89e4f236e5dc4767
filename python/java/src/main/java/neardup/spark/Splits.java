package neardup.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;

/** Pieces of files, (rank, begin and end of each, its path), to their lines, (place, text), of which the text is that of one row at a time. */
final class Splits implements FlatMapFunction<Iterator<Tuple2<long[], String[]>>, InternalRow> {
  private static final long serialVersionUID = 1;
  private static final int ROW_BITS = 33; // of a place

  private final Broadcast<SerializableConfiguration> conf;

  Splits(Broadcast<SerializableConfiguration> conf) {
    this.conf = conf;
  }

  @Override
  public Iterator<InternalRow> call(Iterator<Tuple2<long[], String[]>> partition) {
    if (!partition.hasNext()) return Collections.emptyIterator();
    Tuple2<long[], String[]> pieces = partition.next();
    Rows rows = new Rows(pieces._1(), pieces._2(), conf.value().value());
    TaskContext.get().addTaskCompletionListener((TaskCompletionListener) t -> rows.close());
    return rows;
  }

  private static final class Rows extends Found {
    private final long[] numbers;
    private final String[] paths;
    private final Configuration conf;
    private final Object[] columns = new Object[2];
    private final InternalRow row = new GenericInternalRow(columns);
    private int piece = -1;
    private long place;
    private Lines lines;

    Rows(long[] numbers, String[] paths, Configuration conf) {
      this.numbers = numbers;
      this.paths = paths;
      this.conf = conf;
    }

    @Override
    boolean find() {
      try {
        while (lines == null || !lines.next()) {
          close();
          if (piece + 1 == paths.length) return false;
          piece++;
          place = numbers[3 * piece] << ROW_BITS;
          lines = Lines.of(new Path(paths[piece]), numbers[3 * piece + 1], numbers[3 * piece + 2], conf);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(paths[piece] + ": " + e.getMessage(), e);
      }
      return true;
    }

    @Override
    InternalRow row() {
      columns[0] = place++;
      columns[1] = UTF8String.fromBytes(lines.buf, lines.start, lines.end - lines.start);
      return row;
    }

    void close() {
      try {
        if (lines != null) lines.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      lines = null;
    }
  }
}
