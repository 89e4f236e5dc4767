package neardup.spark;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/**
 * Edges (a, b) to fewer edges of the same components: one a place of those that are held at once, to the first of its
 * component, also of that to itself.
 */
final class Forest implements FlatMapFunction<Iterator<InternalRow>, InternalRow> {
  private static final long serialVersionUID = 1;

  private final int most;

  /** most: places that are held at once, 24 to 48 bytes each, two at least. */
  Forest(int most) {
    this.most = Math.max(2, most);
  }

  @Override
  public Iterator<InternalRow> call(Iterator<InternalRow> rows) {
    return rows.hasNext() ? new Edges(rows) : Collections.emptyIterator();
  }

  private final class Edges implements Iterator<InternalRow> {
    private final Iterator<InternalRow> rows;
    private final int slots = 2 * Integer.highestOneBit(most) * 2;
    private final long[] place = new long[slots];
    private final int[] up = new int[slots]; // a slot that is nearer to the root, itself at one; below zero: free
    private int held, at = slots;

    Edges(Iterator<InternalRow> rows) {
      this.rows = rows;
      Arrays.fill(up, -1);
    }

    @Override
    public boolean hasNext() {
      while (true) {
        for (; at < slots; at++) {
          if (up[at] >= 0) return true;
        }
        if (!rows.hasNext()) return false;
        Arrays.fill(up, -1);
        held = 0;
        while (held < most - 1 && rows.hasNext()) join(rows.next());
        at = 0;
      }
    }

    private void join(InternalRow row) {
      int x = root(slot(row.getLong(0))), y = root(slot(row.getLong(1)));
      if (place[x] < place[y]) up[y] = x;
      else up[x] = y;
    }

    private int slot(long p) {
      int i = (int) (p * 0x9E3779B97F4A7C15L >>> 33) & slots - 1;
      while (up[i] >= 0 && place[i] != p) i = i + 1 & slots - 1;
      if (up[i] < 0) {
        place[i] = p;
        up[i] = i;
        held++;
      }
      return i;
    }

    private int root(int i) {
      while (up[i] != i) i = up[i] = up[up[i]];
      return i;
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) throw new NoSuchElementException();
      int i = at++;
      return new GenericInternalRow(new Object[] {place[i], place[root(i)]});
    }
  }
}
