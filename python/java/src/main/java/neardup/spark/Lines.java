package neardup.spark;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.unsafe.Platform;

/** The lines of a piece of a file, as bytes, without their newlines; a byte order mark before the first of a file is none of its. */
abstract class Lines implements Closeable {
  private static final long ONES = 0x0101010101010101L;
  private static final int LONGEST = 1 << 30; // as worker.MaxLine

  /** The line that next found: bytes of buf from start up to end, until the next is asked for. */
  byte[] buf = {};
  int start, end;

  /** Finds the next line; false at the end of all. */
  abstract boolean next() throws IOException;

  /** Where lines of a file are read as they lie, a piece has those that begin in it; else what Hadoop's own reader gives. */
  static Lines of(Path path, long begin, long end, Configuration conf) throws IOException {
    return new CompressionCodecFactory(conf).getCodec(path) == null ? new Plain(path.getFileSystem(conf).open(path), begin, end) : new Packed(path, begin, end, conf);
  }

  /** The first newline of b, from a byte up to another, or -1. */
  static int newline(byte[] b, int from, int to) {
    int i = from;
    for (; i + 8 <= to; i += 8) {
      long x = Platform.getLong(b, Platform.BYTE_ARRAY_OFFSET + i) ^ '\n' * ONES;
      if (((x - ONES) & ~x & ONES << 7) != 0) break;
    }
    for (; i < to; i++) if (b[i] == '\n') return i;
    return -1;
  }

  private static final class Plain extends Lines {
    private final FSDataInputStream in;
    private final long last;
    private long base; // of buf in the file
    private int at, filled;

    Plain(FSDataInputStream in, long begin, long last) throws IOException {
      this.in = in;
      this.last = last;
      buf = new byte[1 << 20];
      if (begin > 0) {
        base = begin - 1;
        in.seek(base);
        next(); // the end of one that began before, or a newline
      } else {
        while (filled < 3 && fill()) { }
        if (filled >= 3 && buf[0] == (byte) 0xEF && buf[1] == (byte) 0xBB && buf[2] == (byte) 0xBF) at = 3;
      }
    }

    @Override
    boolean next() throws IOException {
      if (base + at >= last) return false;
      int seen = at;
      while ((end = newline(buf, seen, filled)) < 0) {
        seen = filled - at;
        if (!fill()) {
          start = at;
          end = at = filled;
          return start < end;
        }
        seen += at;
      }
      start = at;
      at = end + 1;
      return true;
    }

    /** Reads more behind what is not yet given; false at the end of the file. */
    private boolean fill() throws IOException {
      if (filled == buf.length) {
        if (at == 0 && filled >= LONGEST) throw new IOException("a line is longer than " + LONGEST + " bytes");
        byte[] to = at == 0 ? Arrays.copyOf(buf, 2 * filled) : buf;
        System.arraycopy(buf, at, to, 0, filled - at);
        buf = to;
        filled -= at;
        base += at;
        at = 0;
      }
      int n = in.read(buf, filled, buf.length - filled);
      filled += Math.max(n, 0);
      return n >= 0;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  private static final class Packed extends Lines {
    private final LineRecordReader reader = new LineRecordReader(new byte[] {'\n'});

    Packed(Path path, long begin, long end, Configuration conf) throws IOException {
      reader.initialize(new FileSplit(path, begin, end - begin, null), new TaskAttemptContextImpl(conf, new TaskAttemptID()));
    }

    @Override
    boolean next() throws IOException {
      if (!reader.nextKeyValue()) return false;
      buf = reader.getCurrentValue().getBytes();
      end = reader.getCurrentValue().getLength();
      return true;
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }
}
