// The texts of the page in the fragment of its address, which browsers send nowhere: JSON, compressed, in base64 for addresses.

const longest = 16 << 20; // of the decompressed texts
const mark = '#1,';

/** pack returns the fragment for texts. */
export async function pack(texts) {
  const stream = new Blob([JSON.stringify(texts)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return mark + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** unpack returns the texts of a fragment, or null if it has none. It throws for one that cannot be read. */
export async function unpack(fragment) {
  if (!fragment.startsWith(mark)) return null;
  const binary = atob(fragment.slice(mark.length).replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const chunks = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    if ((size += value.length) > longest) throw new Error('it is too long');
    chunks.push(value);
  }
  const texts = JSON.parse(await new Blob(chunks).text());
  const out = {};
  for (const name of ['definition', 'object', 'stored', 'old']) out[name] = typeof texts?.[name] === 'string' ? texts[name] : '';
  return out;
}
