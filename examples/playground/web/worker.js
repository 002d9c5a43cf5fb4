// The library, in a thread of its own. It can be ended at any moment.
'use strict';
importScripts('wasm_exec.js');

onmessage = async ({ data }) => {
  if (data.start) {
    try {
      const module = data.module ?? await load();
      const go = new Go();
      const running = new Promise((resolve) => { self.crdkitReady = resolve; });
      const instance = await WebAssembly.instantiate(module, go.importObject);
      go.run(instance).then(() => postMessage({ ended: 'the program ended' }));
      await running;
      postMessage({ ready: true, module });
    } catch (e) {
      postMessage({ ended: String(e) });
    }
    return;
  }
  postMessage({ id: data.id, reply: self.crdkit(data.question) });
  self.crdkitCollect(); // while the page shows the answer
};

// load compiles the program. Some hosts decompress it on the way.
async function load() {
  const response = await fetch('crdkit.wasm.gz');
  if (!response.ok) throw new Error(`crdkit.wasm.gz: ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return WebAssembly.compile(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { 'Content-Type': 'application/wasm' } }));
}
