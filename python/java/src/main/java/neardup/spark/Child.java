package neardup.spark;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.TaskCompletionListener;

/**
 * A child process of a task: one thread feeds it, the task reads the rows that it writes. Its exit code is seen, and it
 * ends with the task, however that ends. What is thrown is of classes that a driver has without this jar.
 */
final class Child implements Closeable {
  /** Writes all that the child reads. */
  interface Feed {
    void to(OutputStream in) throws Exception;
  }

  /** The child reads no more; its exit code says why. */
  private static final class Gone extends IOException {
    private static final long serialVersionUID = 1;
  }

  private static final int SAID = 1 << 14; // bytes of standard error that are kept: of its begin, and of its end

  private final String stage;
  private final Process process;
  private final InputStream out;
  private final Thread feeder, listener;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private volatile Throwable failed;
  private volatile boolean closed;

  Child(List<String> argv, Feed feed) throws IOException {
    stage = argv.get(2);
    process = new ProcessBuilder(argv).start();
    out = new BufferedInputStream(process.getInputStream(), 1 << 16);
    TaskContext task = TaskContext.get();
    task.addTaskCompletionListener((TaskCompletionListener) t -> close());
    feeder = thread("feeds", () -> {
      TaskContext$.MODULE$.setTaskContext(task);
      try (OutputStream in = stdin()) {
        feed.to(in);
      } catch (Gone e) {
        return;
      } catch (Throwable e) { // of what is read for it: the task fails by that
        failed = e;
        process.destroyForcibly();
      }
    });
    listener = thread("hears", this::listen);
    thread("watches", () -> {
      try {
        while (!process.waitFor(1, TimeUnit.SECONDS)) {
          if (task.isInterrupted()) process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        process.destroyForcibly();
      }
    });
  }

  private Thread thread(String does, Runnable run) {
    Thread t = new Thread(run, does + " neardup worker " + stage);
    t.setDaemon(true);
    t.start();
    return t;
  }

  private OutputStream stdin() {
    return new FilterOutputStream(process.getOutputStream()) {
      @Override
      public void write(byte[] b, int off, int len) throws IOException {
        try {
          out.write(b, off, len);
        } catch (IOException e) {
          throw new Gone();
        }
      }

      @Override
      public void flush() throws IOException {
        try {
          out.flush();
        } catch (IOException e) {
          throw new Gone();
        }
      }

      @Override
      public void close() throws IOException {
        try {
          out.close();
        } catch (IOException e) {
          throw new Gone();
        }
      }
    };
  }

  private void listen() {
    byte[] b = new byte[1 << 12], last = {};
    try (InputStream err = process.getErrorStream()) {
      for (int n; (n = err.read(b)) >= 0; ) {
        int first = Math.min(n, Math.max(0, SAID - said.size()));
        said.write(b, 0, first);
        int had = last.length;
        last = Arrays.copyOf(last, had + n - first);
        System.arraycopy(b, first, last, had, n - first);
        last = Arrays.copyOfRange(last, Math.max(0, last.length - SAID), last.length);
      }
    } catch (IOException e) {
      said.writeBytes(last); // it ended: what was heard is what it said
      return;
    }
    said.writeBytes(last);
  }

  /** The rows that it writes, of some columns. */
  Iterator<InternalRow> rows(int columns) {
    return new Iterator<>() {
      private final UnsafeRow row = new UnsafeRow(columns);
      private byte[] next;
      private boolean ended;

      @Override
      public boolean hasNext() {
        try {
          if (next == null && !ended) next = read();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        ended = next == null;
        return !ended;
      }

      @Override
      public InternalRow next() {
        if (!hasNext()) throw new NoSuchElementException();
        row.pointTo(next, next.length);
        next = null;
        return row;
      }
    };
  }

  /** The next row, or null at the end of all. */
  private byte[] read() throws IOException {
    try {
      byte[] length = out.readNBytes(8);
      int n = length.length < 8 ? 0 : Math.toIntExact(Platform.getLong(length, Platform.BYTE_ARRAY_OFFSET));
      byte[] row = out.readNBytes(n);
      if (length.length == 8 && row.length == n) return row;
      ended();
      if (length.length > 0) throw new IOException("the output of neardup worker " + stage + " ends inside a row");
    } catch (IOException e) {
      if (!closed) throw e;
    }
    return null;
  }

  private void ended() throws IOException {
    try {
      int code = process.waitFor();
      feeder.join();
      listener.join();
      if (failed instanceof RuntimeException e) throw e;
      if (failed instanceof Error e) throw e;
      if (failed != null) throw new IOException(failed);
      if (code != 0) throw new IOException("neardup worker " + stage + " ends with " + code + ": " + said.toString("UTF-8").strip());
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** Ends the child, and waits for what feeds it: the memory of the rows is the task's. */
  @Override
  public void close() {
    closed = true;
    process.destroyForcibly();
    feeder.interrupt();
    try {
      feeder.join(TimeUnit.SECONDS.toMillis(30));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
