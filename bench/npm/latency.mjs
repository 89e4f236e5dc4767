// Measures calls from Node: scripts/npm 0.0.1 DIR && node bench/npm/latency.mjs DIR [CALLS]
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const [dir, calls = 100_000] = process.argv.slice(2);
const begun = performance.now();
const { compare, check } = await import(pathToFileURL(resolve(dir, 'index.js')));
const nine = (i) => `the ferry to the island leaves at nine ${i}`, ten = (i) => `the ferry to the island leaves at ten ${i}`;
await compare(nine(0), ten(0));
console.log(`first answer ${(performance.now() - begun).toFixed(0)} ms`);
const chinese = performance.now();
await compare('渡轮九点开往岛上。', '渡轮十点开往岛上。');
console.log(`first Chinese answer ${(performance.now() - chinese).toFixed(0)} ms`);
for (let part = 1; part <= 5; part++) {
  const from = performance.now(), cpu = process.cpuUsage(), times = [];
  for (let i = 0; i < calls / 5; i++) {
    const at = performance.now();
    await compare(nine(i), ten(i));
    times.push(performance.now() - at);
  }
  times.sort((a, b) => a - b);
  const used = process.cpuUsage(cpu), micros = (x) => (1000 * x).toFixed(0);
  console.log(`${times.length} compare: median ${micros(times[times.length >> 1])} us, p99 ${micros(times[Math.floor(times.length * .99)])} us, ` +
    `CPU ${((used.user + used.system) / times.length).toFixed(0)} us, ${(performance.now() - from).toFixed(0)} ms in all, resident ${process.memoryUsage.rss() >> 20} MiB`);
}
const known = Array.from({ length: 1000 }, (_, i) => nine(i)), at = performance.now();
await check(nine(999) + '!', known);
console.log(`check against 1000: ${(performance.now() - at).toFixed(0)} ms`);
process.exit(0);
