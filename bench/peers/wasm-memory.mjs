// Counts the linear memory of WebAssembly engines: process.memoryUsage() doesn't tell it apart. Import before any engine.

const memories = new Set();

function note(instance) {
  for (const exported of Object.values(instance.exports)) {
    if (exported instanceof WebAssembly.Memory) {
      memories.add(exported);
    }
  }
}

const { instantiate, Instance } = WebAssembly;

WebAssembly.Instance = new Proxy(Instance, {
  construct(target, args) {
    const instance = new target(...args);
    note(instance);
    return instance;
  },
});

WebAssembly.instantiate = async (...args) => {
  const result = await instantiate(...args);
  note(result.instance ?? result);
  return result;
};

/** Bytes of all linear memories made so far. They grow, and never shrink. */
export function wasmBytes() {
  let sum = 0;
  for (const memory of memories) {
    sum += memory.buffer.byteLength;
  }
  return sum;
}
