// Elements from data. Text is always text: nothing here, and nothing else in this page, makes elements of strings.

/** h returns an element with properties and children. Children that are no nodes become text; null and undefined are left out. */
export function h(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name === 'class') e.className = value;
    else if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (name.includes('-') || name === 'role') e.setAttribute(name, value);
    else e[name] = value;
  }
  e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
  return e;
}

export const find = (id) => document.getElementById(id);

/** announce tells screen readers. */
export function announce(text) { find('announce').textContent = text; }
