/** A method with its settings, such as "minhash threshold=.7"; default "auto". `neardup help method` lists them. */
export interface Options { method?: string }

export interface DedupOptions extends Options {
  /** Which of near-duplicates is kept: "first" (default), "longest", "earliest", ... */
  keep?: string;
  /** Called with the phase and how far it is; total is 0 while reading. */
  progress?: (phase: string, done: number, total: number) => void;
}

export interface FileOptions extends DedupOptions {
  /** "auto" (default, by content), "csv", "tsv", "jsonl", "json" or "lines". */
  format?: string;
  /** Names of fields; default "id", "text", "title", "url" and "time". */
  id?: string;
  text?: string;
  title?: string;
  url?: string;
  time?: string;
}

export type Relation = 'duplicate' | 'unsure' | 'variant' | 'overlap' | 'contained' | 'contains' | 'new';

/** A difference between two texts: the wording of each, and bits for (above 0) or against the same. */
export interface Evidence { kind: string; a?: string; b?: string; bits?: number }

export interface Comparison {
  /** What the first text is to the second; "new" is unrelated. */
  relation: Relation;
  equal: boolean;
  /** That they say the same, by the evidence. */
  probability: number;
  evidence: Evidence[];
  similarity: number;
  /** -1: the method has none. */
  distance: number;
  near: boolean;
  variant?: boolean;
  overlap?: boolean;
  contained?: boolean;
  unsure?: boolean;
  method: string;
  basis: string;
}

export interface Checked extends Comparison {
  /** The index of the known text that it is most like; -1: of none. */
  known: number;
}

/** As in the decisions of the command. */
export interface Decision {
  /** The number of the text or record, from 0. */
  item: number;
  id: string;
  decision: 'new' | 'duplicate';
  leader?: string;
  similarity?: number;
  keptBy?: string;
  distance?: number;
  variantOf?: string;
  conflicts?: Evidence[];
  relation?: Relation;
  probability?: number;
  method: string;
  basis?: string;
}

/** Counts, and the digest that equals the command's if all decisions do. */
export interface Summary { method: string; documents: number; kept?: number; removed?: number; variants?: number; clusters?: number; digest: string; [name: string]: unknown }

export interface Reject { file: string; line?: number; reason: string }

export interface Document { id?: string; text: string; title?: string; url?: string; time?: string | number; [field: string]: unknown }

/** Decides on texts, in order. The id of a text is its index, unless it has one. kept has the texts that stay. */
export function dedup<T extends string | Document>(texts: Iterable<T>, options?: DedupOptions): Promise<{ kept: T[]; decisions: Decision[]; summary: Summary }>;

/** Decides on the records of a file. kept has those that stay, in the format of the file. */
export function dedupFile(file: Uint8Array | Blob | string, options?: FileOptions): Promise<{ kept: Uint8Array; decisions: Decision[]; texts: string[]; rejects: Reject[]; summary: Summary }>;

/** Compares two texts. */
export function compare(a: string, b: string, options?: Options): Promise<Comparison>;

/** Compares a text with known ones, and returns the relation to the one that it is most like. */
export function check(text: string, known: Iterable<string>, options?: Options): Promise<Checked>;

/** Replaces how files of this package are read: in place of the file system or fetch. Call it first. */
export function configure(options: { read: (name: string) => Promise<Uint8Array> }): void;
