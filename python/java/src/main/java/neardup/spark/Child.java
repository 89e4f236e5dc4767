package neardup.spark;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.util.TaskCompletionListener;

/**
 * A child process of a task: one thread feeds it, the task reads the lines that it writes. Its exit code is seen, and it
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

  /** The line that next found: bytes of buf from start up to end. */
  byte[] buf = new byte[1 << 16];
  int start, end;

  private final String stage;
  private final Process process;
  private final InputStream out;
  private final Thread feeder, listener;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private volatile Throwable failed;
  private volatile boolean closed;
  private int at, filled; // what is not yet read of buf

  Child(List<String> argv, Feed feed) throws IOException {
    stage = argv.get(2);
    process = new ProcessBuilder(argv).start();
    out = process.getInputStream();
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

  /** Finds the next line; false at the end of all. */
  boolean next() throws IOException {
    for (int seen = at; ; ) {
      int i = Lines.newline(buf, seen, filled);
      if (i >= 0) {
        start = at;
        end = i;
        at = i + 1;
        return true;
      }
      System.arraycopy(buf, at, buf, 0, filled - at);
      filled -= at;
      at = 0;
      seen = filled;
      if (filled == buf.length) buf = Arrays.copyOf(buf, buf.length * 2);
      int n = read();
      if (n < 0) {
        ended();
        if (filled > 0) throw new IOException("the output of neardup worker " + stage + " ends inside a line");
        return false;
      }
      filled += n;
    }
  }

  /** All that the child writes. */
  byte[] all() throws IOException {
    byte[] b = out.readAllBytes();
    ended();
    return b;
  }

  /** The bytes of a pack, which follow the line, and a newline. */
  byte[] pack(int length) throws IOException {
    byte[] pack = new byte[length];
    int had = Math.min(length, filled - at);
    System.arraycopy(buf, at, pack, 0, had);
    at += had;
    if (out.readNBytes(pack, had, length - had) < length - had) ended();
    if (!next() || start < end) throw new IOException("the output of neardup worker " + stage + " has a pack that does not end after " + length + " bytes");
    return pack;
  }

  private int read() throws IOException {
    try {
      return out.read(buf, filled, buf.length - filled);
    } catch (IOException e) {
      if (closed) return -1;
      throw e;
    }
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
