package neardup.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;

/** A stage of `neardup worker` over the rows of each partition: a child process a task, and none where there are no rows. */
final class Stage implements FlatMapFunction<Iterator<InternalRow>, InternalRow> {
  private static final long serialVersionUID = 1;
  private static final int WAITING = 64; // rows that wait for what is made of them

  private final Command command;
  private final Columns in, out;
  private final byte[] first;
  private final DataType[] beside;

  /**
   * first: lines that come before those of the rows. out: null: all that the child writes is one row. beside: the types of columns
   * before those of in, which stand in the row of the line that is made of theirs; null: lines are rows of their own.
   */
  Stage(Command command, Columns in, byte[] first, Columns out, DataType[] beside) {
    this.command = command;
    this.in = in;
    this.first = first;
    this.out = out;
    this.beside = beside;
  }

  @Override
  public Iterator<InternalRow> call(Iterator<InternalRow> rows) throws IOException {
    if (!rows.hasNext()) return Collections.emptyIterator();
    BlockingQueue<Object[]> waiting = beside == null ? null : new ArrayBlockingQueue<>(WAITING);
    Child child = new Child(command.argv(), stdin -> feed(rows, stdin, waiting));
    if (out == null) return Collections.<InternalRow>singleton(new GenericInternalRow(new Object[] {child.all()})).iterator();
    return lines(child, c -> {
      int skip = beside == null ? 0 : beside.length;
      Object[] row = new Object[skip + out.size()];
      if (skip > 0) System.arraycopy(waiting.remove(), 0, row, 0, skip);
      out.parse(c, row, skip);
      return row;
    }, () -> {
      if (waiting != null && !waiting.isEmpty()) throw new IOException(waiting.size() + " rows have no line that was made of them");
    });
  }

  private void feed(Iterator<InternalRow> rows, OutputStream stdin, BlockingQueue<Object[]> waiting) throws IOException, InterruptedException {
    Columns.Out lines = new Columns.Out(stdin);
    lines.add(first);
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      if (waiting != null) {
        InternalRow held = row.copy();
        Object[] values = new Object[beside.length];
        for (int i = 0; i < values.length; i++) values[i] = held.get(i, beside[i]);
        waiting.put(values);
      }
      in.write(row, lines);
      if (waiting != null) lines.flush();
    }
    lines.flush();
  }

  /** Makes the columns of a row of a line. */
  interface Parse {
    Object[] of(Child child) throws IOException;
  }

  /** What is done behind the last line. */
  interface End {
    void run() throws IOException;
  }

  /** The rows of the lines of a child. */
  static Iterator<InternalRow> lines(Child child, Parse parse, End end) {
    return new Found() {
      @Override
      boolean find() throws IOException {
        boolean more = child.next();
        if (!more) end.run();
        return more;
      }

      @Override
      InternalRow row() throws IOException {
        return new GenericInternalRow(parse.of(child));
      }
    };
  }
}
