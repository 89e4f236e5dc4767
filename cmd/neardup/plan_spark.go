package main

// onSpark is what one method will take there.
type onSpark struct {
	Shuffle   estimate `json:"shuffleBytes"`      // as they are written, compressed
	Texts     estimate `json:"shuffledTextBytes"` // texts to compare among these, before compression
	SparkCPU  estimate `json:"sparkCpuSeconds"`   // all executors and the driver together
	SparkTime estimate `json:"sparkSeconds"`      // with the cores of the cluster
}

// What a row takes as it is shuffled, before compression: of a posting, and of a
// document with its hash, to which its keys come. A pair is a line in a block.
const (
	postingRow = 24
	hashRow    = 56
	keyRow     = 8
	pairRow    = 60
)

// Prices of Spark beside those of the stages themselves, which are as on one machine. They
// explain the runs of `bench/spark/foretold --fit` within a tenth, on sets other than those on which
// docs/scale.md shows what they foretell. Seconds of CPU of any run, of a document
// and of a byte of text, which all passes read and give to the stage or write;
// and which share of rows and of texts is written when they are compressed.
const (
	sparkRun      = 13
	sparkDocument = 20e-6
	sparkByte     = 10e-9
	packsWritten  = .78
	textsWritten  = .60
)

// onSpark says what Spark takes by what one machine does without an audit.
func (s *sampled) onSpark(f forecast, n estimate, cores int) (o onSpark) {
	inPairs := func(pairs, all float64) float64 { return min(2*pairs, all) * (s.meanBytes() + 64) }
	o.Texts = estimate{inPairs(f.Verified.Value, n.Value), inPairs(f.Verified.Low, n.Low), inPairs(f.Verified.High, n.High)}
	packs := f.Postings.scaled(postingRow).plus(n.scaled(hashRow + keyRow*f.Keys))
	o.Shuffle = packs.scaled(packsWritten).plus(o.Texts.plus(f.Verified.scaled(pairRow)).scaled(textsWritten)).widened()
	o.SparkCPU = f.CPU.plus(n.scaled(sparkDocument + sparkByte*s.meanBytes()).plus(exactly(sparkRun)).widened())
	o.SparkTime = o.SparkCPU.scaled(1 / float64(cores)).plus(exactly(sparkRun))
	return o
}
