// The examples to choose from: folders with definition.yaml, object.yaml and, where they are named here, stored.yaml and old.yaml.
export const examples = [
  { name: 'crontab', title: 'CronTab: defaults, pruning, errors', files: ['definition', 'object'] },
  { name: 'costs', title: 'Rules that cost too much', files: ['definition', 'object'], view: 'rules' },
  { name: 'versions', title: 'Breaks on Kubernetes 1.36', files: ['definition', 'object'], view: 'versions' },
  { name: 'update', title: 'An update, with ratcheting', files: ['definition', 'object', 'stored'] },
  { name: 'compare', title: 'A change that breaks objects', files: ['definition', 'object', 'old'], view: 'compare' },
];

/** load returns the texts of an example. */
export async function load(example) {
  const texts = { definition: '', object: '', stored: '', old: '' };
  await Promise.all(example.files.map(async (file) => {
    const response = await fetch(`examples/${example.name}/${file}.yaml`);
    if (!response.ok) throw new Error(`examples/${example.name}/${file}.yaml: ${response.status}`);
    texts[file] = await response.text();
  }));
  return texts;
}
