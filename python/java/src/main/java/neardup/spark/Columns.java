package neardup.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Rows as lines of a stage, a field a column, and back. Each column is of a kind:
 *
 * <pre>
 * n  a number, x  one in 16 hex digits, N  the place of a document as its number in the order of all
 * d  a double, i  an int (of a line only)
 * s  a text, escaped; of a line an empty one is null. t  the same, but never null
 * r  bytes of a text as they are, b  a pack: *N, and behind the line N bytes and a newline
 * -  what is not read (of a line only)
 * p  an int whose hash is the part that stands there (of a line only)
 * </pre>
 *
 * What is null is an empty field, or none at all if ? follows the kind; a line may lack its last fields.
 */
final class Columns implements Serializable {
  private static final long serialVersionUID = 1;
  static final int ROW_BITS = 33; // of a place

  private final char[] kinds;
  private final boolean[] optional;
  private final int[] labels;
  private final long[] starts;

  /** labels: of each part. starts: of each piece the number of its first document. Each may be null where no kind needs it. */
  Columns(String spec, int[] labels, long[] starts) {
    String all = spec.replace("?", "");
    kinds = all.toCharArray();
    optional = new boolean[kinds.length];
    for (int i = 0, at = 0; i < kinds.length; i++, at++) {
      optional[i] = at + 1 < spec.length() && spec.charAt(at + 1) == '?';
      if (optional[i]) at++;
    }
    this.labels = labels;
    this.starts = starts;
  }

  /** How many columns of a row lines have. */
  int size() {
    int n = 0;
    for (char kind : kinds) if (kind != '-') n++;
    return n;
  }

  /** Lines that are gathered and written some at a time. */
  static final class Out {
    private static final int CHUNK = 1 << 16;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private final OutputStream to;
    private byte[] b = new byte[2 * CHUNK];
    private int n;

    Out(OutputStream to) {
      this.to = to;
    }

    private void room(int more) {
      if (more > b.length - n) b = Arrays.copyOf(b, Math.max(b.length * 2, Math.addExact(n, more)));
    }

    private void add(byte c) {
      room(1);
      b[n++] = c;
    }

    void add(byte[] bytes) {
      room(bytes.length);
      System.arraycopy(bytes, 0, b, n, bytes.length);
      n += bytes.length;
    }

    private void add(UTF8String s) {
      int size = s.numBytes();
      room(size);
      s.writeToMemory(b, org.apache.spark.unsafe.Platform.BYTE_ARRAY_OFFSET + n);
      n += size;
    }

    private void escaped(UTF8String s) {
      int from = n;
      add(s);
      int more = 0;
      for (int i = from; i < n; i++) if (escape(b[i]) != 0) more++;
      if (more == 0) return;
      room(more);
      for (int i = n - 1, to = n - 1 + more; to > i; i--) {
        byte e = escape(b[i]);
        b[to--] = e == 0 ? b[i] : e;
        if (e != 0) b[to--] = '\\';
      }
      n += more;
    }

    private void hexed(long v) {
      room(16);
      for (int shift = 60; shift >= 0; shift -= 4) b[n++] = HEX[(int) (v >>> shift) & 15];
    }

    private void ascii(String s) {
      add(s.getBytes(StandardCharsets.US_ASCII));
    }

    void end() throws IOException {
      add((byte) '\n');
      if (n >= CHUNK) flush();
    }

    void flush() throws IOException {
      to.write(b, 0, n);
      n = 0;
      if (b.length > 64 * CHUNK) b = new byte[2 * CHUNK];
    }
  }

  private static byte escape(byte c) {
    return (byte) switch (c) {
      case '\\' -> '\\';
      case '\t' -> 't';
      case '\n' -> 'n';
      case '\r' -> 'r';
      default -> 0;
    };
  }

  /** Writes the last columns of a row, which are these. */
  void write(InternalRow row, Out out) throws IOException {
    int skip = row.numFields() - kinds.length;
    boolean any = false;
    byte[] pack = null;
    for (int i = 0; i < kinds.length; i++) {
      int at = skip + i;
      boolean none = row.isNullAt(at);
      if (none && optional[i]) continue;
      if (any) out.add((byte) '\t');
      any = true;
      if (none) continue;
      switch (kinds[i]) {
        case 'n' -> out.ascii(Long.toString(row.getLong(at)));
        case 'i' -> out.ascii(Integer.toString(row.getInt(at)));
        case 'N' -> out.ascii(Long.toString(starts[(int) (row.getLong(at) >> ROW_BITS)] + (row.getLong(at) & (1L << ROW_BITS) - 1)));
        case 'x' -> out.hexed(row.getLong(at));
        case 'd' -> out.ascii(Double.toString(row.getDouble(at)));
        case 's', 't' -> out.escaped(row.getUTF8String(at));
        case 'r' -> out.add(row.getUTF8String(at));
        case 'b' -> {
          pack = row.getBinary(at);
          out.ascii("*" + pack.length);
        }
        default -> throw new IllegalStateException("kind " + kinds[i]);
      }
    }
    out.end();
    if (pack != null) {
      out.add(pack);
      out.end();
    }
  }

  /** Reads the fields of the line that a child has into row from a column on. */
  void parse(Child child, Object[] row, int first) throws IOException {
    byte[] b = child.buf;
    int end = child.end, at = child.start, pack = -1, length = 0;
    for (int i = 0; i < kinds.length; i++) {
      int from = Math.min(at, end), to = from;
      while (to < end && b[to] != '\t') to++;
      at = to + 1;
      if (kinds[i] == 'b' && from < to) {
        if (b[from] != '*') throw new IOException("no pack: " + new String(b, from, to - from, StandardCharsets.UTF_8));
        pack = first++;
        length = Math.toIntExact(number(b, from + 1, to));
      } else if (kinds[i] != '-') {
        row[first++] = value(kinds[i], b, from, to);
      }
    }
    if (at <= end) throw new IOException("more than " + kinds.length + " fields: " + new String(b, child.start, Math.min(end - child.start, 200), StandardCharsets.UTF_8));
    if (pack >= 0) row[pack] = child.pack(length);
  }

  private Object value(char kind, byte[] b, int from, int to) throws IOException {
    if (from == to && kind != 't') return null;
    return switch (kind) {
      case 'n' -> number(b, from, to);
      case 'i' -> (int) number(b, from, to);
      case 'p' -> labels[(int) number(b, from, to)];
      case 'N' -> placeOf(number(b, from, to));
      case 'x' -> Long.parseUnsignedLong(new String(b, from, to - from, StandardCharsets.US_ASCII), 16);
      case 'd' -> Double.parseDouble(new String(b, from, to - from, StandardCharsets.US_ASCII));
      case 's', 't' -> text(b, from, to);
      case 'r' -> UTF8String.fromBytes(Arrays.copyOfRange(b, from, to));
      default -> throw new IllegalStateException("kind " + kind);
    };
  }

  private static long number(byte[] b, int from, int to) throws IOException {
    boolean below = b[from] == '-';
    long v = 0;
    for (int i = below ? from + 1 : from; i < to; i++) {
      int digit = b[i] - '0';
      if (digit < 0 || digit > 9) throw new IOException("no number: " + new String(b, from, to - from, StandardCharsets.UTF_8));
      v = v * 10 + digit;
    }
    return below ? -v : v;
  }

  private long placeOf(long number) {
    int piece = Arrays.binarySearch(starts, number);
    if (piece < 0) piece = -piece - 2;
    while (piece + 1 < starts.length && starts[piece + 1] == number) piece++; // pieces before it are empty
    return ((long) piece << ROW_BITS) + number - starts[piece];
  }

  private static UTF8String text(byte[] b, int from, int to) throws IOException {
    byte[] out = new byte[to - from];
    int n = 0;
    for (int i = from; i < to; i++) {
      byte c = b[i];
      if (c == '\\') {
        if (++i == to) throw new IOException("a field ends in one backslash");
        c = (byte) switch (b[i]) {
          case 't' -> '\t';
          case 'n' -> '\n';
          case 'r' -> '\r';
          default -> b[i];
        };
      }
      out[n++] = c;
    }
    return UTF8String.fromBytes(n == out.length ? out : Arrays.copyOf(out, n));
  }
}
