package neardup.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;

/** Rows that are found one after the other, when they are asked for. */
abstract class Found implements Iterator<InternalRow> {
  private boolean known, more;

  /** Goes to the next row; false behind the last. */
  abstract boolean find() throws IOException;

  /** The row that find went to. */
  abstract InternalRow row() throws IOException;

  @Override
  public final boolean hasNext() {
    if (!known) {
      try {
        more = find();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      known = true;
    }
    return more;
  }

  @Override
  public final InternalRow next() {
    if (!hasNext()) throw new NoSuchElementException();
    known = false;
    try {
      return row();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
