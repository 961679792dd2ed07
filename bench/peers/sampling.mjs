// How often a thing is done before its time is believed.

const QUICK = process.argv.includes('--quick');
const WARM_MILLIS = QUICK ? 200 : 1000;
const MAX_WARMUPS = 1000;
const SAMPLE_MILLIS = QUICK ? 200 : 600;
const MAX_SAMPLES = 25;

/** A pass that takes this long is not repeated: its own time is the sample. */
const HEAVY_MILLIS = 4000;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Passes that {@link hot} makes at most. */
export const MAX_PASSES = MAX_WARMUPS + MAX_SAMPLES;

/**
 * Times a pass: warmed up, then the median of its samples, and the first of all beside it. How it was repeated is part of the result.
 *
 * @param pass returns the milliseconds of the part that counts
 */
export function hot(pass) {
  const begun = performance.now();
  const firstMs = pass();
  if (firstMs >= HEAVY_MILLIS) {
    return { ms: firstMs, firstMs, warmups: 0, samples: 1 };
  }
  let warmups = 1;
  for (; warmups < MAX_WARMUPS && performance.now() < begun + WARM_MILLIS; warmups++) {
    pass();
  }
  const samples = [];
  const end = performance.now() + SAMPLE_MILLIS;
  do {
    samples.push(pass());
  } while (samples.length < MAX_SAMPLES && performance.now() < end);
  return { ms: median(samples), firstMs, warmups, samples: samples.length };
}

export function timed(action) {
  const begin = performance.now();
  action();
  return performance.now() - begin;
}
