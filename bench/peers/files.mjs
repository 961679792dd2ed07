// The files of this folder: raw traces, lists of updates, and the place where histories are kept.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export const sha256 = (data) => createHash('sha256').update(data).digest('hex');

/** u32be count, then for each update its length (u32be) and its bytes. */
export function writeList(file, updates) {
  const parts = [u32(updates.length)];
  for (const update of updates) {
    parts.push(u32(update.length), update);
  }
  writeFileSync(file, Buffer.concat(parts));
}

/** Reads what {@link writeList} or bench/traces/record.mjs wrote; each update gets an array of its own, as from a socket. */
export function readList(file) {
  const packed = readFileSync(file);
  const bytes = file.endsWith('.gz') ? gunzipSync(packed) : packed;
  const lengthBytes = /\.updates-v1\./.test(file) ? 2 : 4;
  const count = bytes.readUInt32BE(0);
  const updates = [];
  let at = 4;
  for (let i = 0; i < count; i++) {
    const length = bytes.readUIntBE(at, lengthBytes);
    at += lengthBytes;
    updates.push(new Uint8Array(bytes.subarray(at, at + length)));
    at += length;
  }
  if (at !== bytes.length) {
    throw new Error(`${file}: bytes are left over`);
  }
  return updates;
}

/**
 * Reads a trace of github.com/josephg/editing-traces: its transactions, each with patches [position, deleted, inserted].
 * Positions count code points there and UTF-16 units here; without code points above U+FFFF they are the same.
 */
export function readTrace(file) {
  const trace = JSON.parse(gunzipSync(readFileSync(file)));
  for (const { patches } of trace.txns) {
    for (const [, , inserted] of patches) {
      if (/[\ud800-\udfff]/.test(inserted)) {
        throw new Error(`${file}: code points above U+FFFF need their positions converted`);
      }
    }
  }
  if (trace.startContent) {
    throw new Error(`${file}: does not start empty`);
  }
  return { txns: trace.txns, endContent: trace.endContent, concurrent: trace.kind === 'concurrent' };
}

function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
