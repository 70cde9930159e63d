import { parseArgs } from 'node:util';
import { loadLibc } from '../envd/filesystem/libc.ts';

/** The commands of Debian's package `attr` that this stands in for. */
export type AttributesCommand = 'setfattr' | 'getfattr';

/** Extended attributes of files. */
type Attributes = NonNullable<ReturnType<typeof loadLibc>>;

function decodeValue(value: string): string {
  if (/^0x/i.test(value)) return Buffer.from(value.slice(2), 'hex').toString();
  if (/^0s/i.test(value)) return Buffer.from(value.slice(2), 'base64').toString();
  return value.replace(/^"(.*)"$/s, '$1');
}

function setAttributes(argv: readonly string[], attributes: Attributes): void {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      name: { type: 'string', short: 'n' },
      value: { type: 'string', short: 'v', default: '' },
      remove: { type: 'string', short: 'x' },
    },
  });
  for (const path of positionals) {
    if (values.remove !== undefined) attributes.removeAttribute(path, values.remove);
    if (values.name !== undefined) attributes.setAttribute(path, values.name, decodeValue(values.value));
  }
}

/** What `getfattr` prints. */
function getAttributes(argv: readonly string[], attributes: Attributes): string {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      name: { type: 'string', short: 'n' },
      dump: { type: 'boolean', short: 'd', default: false },
      'only-values': { type: 'boolean', default: false },
      'absolute-names': { type: 'boolean', default: false },
    },
  });
  const ofFile = (path: string): string => {
    const all = attributes.listAttributes(path).filter((name) => name.startsWith('user.'));
    const names = values.name === undefined ? all : [values.name];
    if (values['only-values']) return names.map((name) => attributes.getAttribute(path, name)).join('');
    const showsValues = values.dump || values.name !== undefined;
    const lines = names.map((name) => (showsValues ? `${name}="${attributes.getAttribute(path, name)}"` : name));
    const shownPath = values['absolute-names'] ? path : path.replace(/^\/+/, '');
    return lines.length === 0 ? '' : `${[`# file: ${shownPath}`, ...lines].join('\n')}\n\n`;
  };
  return positionals.map(ofFile).join('');
}

/**
 * Does what the command does with these arguments, as far as attributes of users go.
 *
 * @returns what it prints
 * @throws an error of the system, whose message is for the user
 */
export function runAttributesCommand(command: AttributesCommand, argv: readonly string[]): string {
  const attributes = loadLibc();
  if (attributes === undefined) throw new Error('extended attributes are there on Linux only');
  if (command === 'getfattr') return getAttributes(argv, attributes);
  setAttributes(argv, attributes);
  return '';
}
