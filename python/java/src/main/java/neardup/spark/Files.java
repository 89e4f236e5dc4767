package neardup.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;

/**
 * Whole files, (number, path), to documents, by `neardup worker read`, which reads a copy on this machine: place, id, text, file,
 * line, reason.
 */
final class Files implements FlatMapFunction<Iterator<Tuple2<Long, String>>, InternalRow> {
  private static final long serialVersionUID = 1;
  private static final int COLUMNS = 6;

  private final Command command;
  private final Broadcast<SerializableConfiguration> conf;

  Files(Command command, Broadcast<SerializableConfiguration> conf) {
    this.command = command;
    this.conf = conf;
  }

  @Override
  public Iterator<InternalRow> call(Iterator<Tuple2<Long, String>> files) {
    return new Iterator<>() {
      private Iterator<InternalRow> rows = java.util.Collections.emptyIterator();

      @Override
      public boolean hasNext() {
        try {
          while (!rows.hasNext() && files.hasNext()) {
            Tuple2<Long, String> file = files.next();
            rows = read(file._1(), new org.apache.hadoop.fs.Path(file._2()));
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        return rows.hasNext();
      }

      @Override
      public InternalRow next() {
        if (!hasNext()) throw new java.util.NoSuchElementException();
        return rows.next();
      }
    };
  }

  /** The rows of a file; its copy goes with the task. */
  private Iterator<InternalRow> read(long number, org.apache.hadoop.fs.Path path) throws IOException {
    Path folder = java.nio.file.Files.createTempDirectory("neardup-"), copy = folder.resolve(path.getName());
    TaskContext.get().addTaskCompletionListener((TaskCompletionListener) t -> delete(copy, folder));
    try (InputStream in = path.getFileSystem(conf.value().value()).open(path)) {
      java.nio.file.Files.copy(in, copy);
    }
    String name = path.toUri().getScheme().equals("file") ? path.toUri().getPath() : path.toString();
    return new Child(command.argv("--name=" + name, "--number=" + number, copy.toString()), stdin -> { }).rows(COLUMNS);
  }

  private static void delete(Path... paths) {
    for (Path p : paths) {
      try {
        java.nio.file.Files.deleteIfExists(p);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
