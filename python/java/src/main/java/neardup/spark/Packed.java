package neardup.spark;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Rows that are kept between stages, some as one array, which Spark writes and reads as such: how many, and of each its
 * length and itself, numbers of 8 bytes in the order of the machine.
 */
final class Packed {
  private static final int SIZE = 1 << 16; // of an array, about

  private Packed() { }

  /** Rows to arrays. */
  static final class Pack implements FlatMapFunction<Iterator<InternalRow>, byte[]> {
    private static final long serialVersionUID = 1;

    @Override
    public Iterator<byte[]> call(Iterator<InternalRow> rows) {
      return new Iterator<>() {
        private byte[] buf = new byte[2 * SIZE];

        @Override
        public boolean hasNext() {
          return rows.hasNext();
        }

        @Override
        public byte[] next() {
          int n = 8;
          long held = 0;
          for (; n < SIZE && rows.hasNext(); held++) {
            UnsafeRow row = (UnsafeRow) rows.next();
            int size = row.getSizeInBytes();
            if (size > buf.length - n - 8) buf = Arrays.copyOf(buf, Math.max(buf.length, Math.addExact(n + 8, size)));
            Platform.putLong(buf, Platform.BYTE_ARRAY_OFFSET + n, size);
            row.writeToMemory(buf, Platform.BYTE_ARRAY_OFFSET + n + 8);
            n += 8 + size;
          }
          if (held == 0) throw new NoSuchElementException();
          Platform.putLong(buf, Platform.BYTE_ARRAY_OFFSET, held);
          return Arrays.copyOf(buf, n);
        }
      };
    }
  }

  /** Arrays to rows, one at a time. */
  static final class Unpack implements FlatMapFunction<Iterator<byte[]>, InternalRow> {
    private static final long serialVersionUID = 1;

    private final int columns;

    Unpack(int columns) {
      this.columns = columns;
    }

    @Override
    public Iterator<InternalRow> call(Iterator<byte[]> arrays) {
      return new Iterator<>() {
        private final UnsafeRow row = new UnsafeRow(columns);
        private byte[] buf = {};
        private int at;

        @Override
        public boolean hasNext() {
          return at < buf.length || arrays.hasNext();
        }

        @Override
        public InternalRow next() {
          if (at == buf.length) {
            buf = arrays.next();
            at = 8;
          }
          int size = (int) Platform.getLong(buf, Platform.BYTE_ARRAY_OFFSET + at);
          row.pointTo(buf, Platform.BYTE_ARRAY_OFFSET + at + 8, size);
          at += 8 + size;
          return row;
        }
      };
    }
  }

  /** Arrays to the number of their rows. */
  static final class Count implements FlatMapFunction<Iterator<byte[]>, Long> {
    private static final long serialVersionUID = 1;

    @Override
    public Iterator<Long> call(Iterator<byte[]> arrays) {
      long n = 0;
      while (arrays.hasNext()) n += Platform.getLong(arrays.next(), Platform.BYTE_ARRAY_OFFSET);
      return Collections.singleton(n).iterator();
    }
  }
}
