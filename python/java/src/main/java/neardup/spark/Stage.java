package neardup.spark;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * A stage of `neardup worker` over the rows of each partition: a child process a task, and none where there are no rows. Rows
 * go as Spark holds them, each behind its length, a number of 8 bytes in the order of the machine.
 */
final class Stage implements FlatMapFunction<Iterator<InternalRow>, InternalRow> {
  private static final long serialVersionUID = 1;

  private final ArrayList<ArrayList<String>> words;
  private final byte[] first;
  private final int columns;

  /** first: what comes before the rows, behind its length; or null. columns: of the rows that the stage makes. */
  Stage(ArrayList<ArrayList<String>> words, byte[] first, int columns) {
    this.words = words;
    this.first = first;
    this.columns = columns;
  }

  @Override
  public Iterator<InternalRow> call(Iterator<InternalRow> rows) throws IOException {
    if (!rows.hasNext()) return Collections.emptyIterator();
    return new Child(Stages.argv(words), stdin -> feed(rows, new BufferedOutputStream(stdin, 1 << 16))).rows(columns);
  }

  private void feed(Iterator<InternalRow> rows, OutputStream to) throws IOException {
    byte[] length = new byte[8], buffer = new byte[1 << 12];
    if (first != null) {
      Platform.putLong(length, Platform.BYTE_ARRAY_OFFSET, first.length);
      to.write(length);
      to.write(first);
    }
    while (rows.hasNext()) {
      UnsafeRow row = (UnsafeRow) rows.next();
      Platform.putLong(length, Platform.BYTE_ARRAY_OFFSET, row.getSizeInBytes());
      to.write(length);
      row.writeToStream(to, buffer);
    }
    to.flush();
  }
}
