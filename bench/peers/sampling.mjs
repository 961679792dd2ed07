// How often a thing is done before its time is believed.

const WARM_MILLIS = 1000;
const MAX_WARMUPS = 1000;
const SAMPLE_MILLIS = 600;
const MAX_SAMPLES = 25;
const MIN_SAMPLES = 3;

/** A pass that takes this long is warm when it ends: it is repeated once. */
const SLOW_MILLIS = 1500;

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
 * Times a pass: warmed up, then the median of its samples. How it was repeated is part of the result.
 *
 * @param pass returns the milliseconds of the part that counts
 */
export function hot(pass) {
  const first = pass();
  if (first >= HEAVY_MILLIS) {
    return { ms: first, warmups: 0, samples: 1 };
  }
  if (first >= SLOW_MILLIS) {
    return { ms: pass(), warmups: 1, samples: 1 };
  }
  let warmups = 1;
  for (const end = performance.now() + WARM_MILLIS - first; warmups < MAX_WARMUPS && performance.now() < end; warmups++) {
    pass();
  }
  const samples = [];
  const end = performance.now() + SAMPLE_MILLIS;
  while (samples.length < MIN_SAMPLES || (samples.length < MAX_SAMPLES && performance.now() < end)) {
    samples.push(pass());
  }
  return { ms: median(samples), warmups, samples: samples.length };
}

export function timed(action) {
  const begin = performance.now();
  action();
  return performance.now() - begin;
}
