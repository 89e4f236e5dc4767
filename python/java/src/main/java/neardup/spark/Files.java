package neardup.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;

/**
 * A whole file, (number, path), to documents, by `neardup worker read`, which reads a copy on this machine: place, id, text, file,
 * line, reason.
 */
final class Files implements FlatMapFunction<Tuple2<Long, String>, InternalRow> {
  private static final long serialVersionUID = 1;
  private static final int COLUMNS = 6;

  private final ArrayList<ArrayList<String>> words;
  private final Broadcast<SerializableConfiguration> conf;

  Files(ArrayList<ArrayList<String>> words, Broadcast<SerializableConfiguration> conf) {
    this.words = words;
    this.conf = conf;
  }

  /** The rows of a file; its copy goes with the task. */
  @Override
  public Iterator<InternalRow> call(Tuple2<Long, String> file) throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file._2());
    Path folder = java.nio.file.Files.createTempDirectory("neardup-"), copy = folder.resolve(path.getName());
    TaskContext.get().addTaskCompletionListener((TaskCompletionListener) t -> delete(copy, folder));
    try (InputStream in = path.getFileSystem(conf.value().value()).open(path)) {
      java.nio.file.Files.copy(in, copy);
    }
    String name = path.toUri().getScheme().equals("file") ? path.toUri().getPath() : path.toString();
    return new Child(Stages.argv(words, "--name=" + name, "--number=" + file._1(), copy.toString()), stdin -> { }).rows(COLUMNS);
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
