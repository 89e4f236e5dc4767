package neardup.spark;

import java.io.File;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkFiles;

/**
 * The command line of a stage, of which some words are files that were sent to each executor; of these an executor's
 * $NEARDUP_COMMAND goes before the program.
 */
final class Command implements Serializable {
  private static final long serialVersionUID = 1;

  private final ArrayList<ArrayList<String>> words = new ArrayList<>();

  /** Each word is one string, or what is before the name of a file that was sent, the name, and what is after it. */
  Command(List<List<String>> words) {
    for (List<String> word : words) this.words.add(new ArrayList<>(word));
  }

  List<String> argv() {
    List<String> argv = new ArrayList<>();
    for (List<String> word : words) {
      argv.add(word.size() == 1 ? word.get(0) : word.get(0) + SparkFiles.get(word.get(1)) + word.get(2));
    }
    String own = System.getenv("NEARDUP_COMMAND");
    if (words.get(0).size() > 1 && own != null && !own.isEmpty()) argv.set(0, own);
    return argv;
  }

  /** More words behind these. */
  List<String> argv(String... more) {
    List<String> argv = argv();
    argv.addAll(List.of(more));
    return argv;
  }
}
