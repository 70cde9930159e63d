import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { E2BEmulatorOptions } from './e2b-emulator.ts';
import type { Isolation } from './roots/sandbox-root.ts';
import type { TemplateOptions } from './sandboxes/templates.ts';

const DEFAULT_PORT = 49_980;
const ISOLATIONS: readonly string[] = ['auto', 'docker', 'namespaces', 'process'];

export const USAGE: string = `Usage: e2b-emulator [options]

  --port N             to listen on (${DEFAULT_PORT}; 0 for any that is free)
  --host ADDRESS       to listen on (127.0.0.1)
  --isolation KIND     auto, docker, namespaces or process (auto)
  --template NAME[=IMAGE]
                       a template, with the Docker image that it stands for; may be repeated (base)
  --domain NAME        sandboxes are at <port>-<sandbox>.NAME.localhost:<port> (e2b)
  --envd PATH          a real envd in place of the built-in one
  --prepare            get the images of the templates, and end
  --quiet              say nothing but the variables
  --help
`;

export type CommandLine =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'start';
      readonly options: E2BEmulatorOptions;
      readonly isQuiet: boolean;
      readonly isPreparation: boolean;
    };

/** @throws {Error} for what is no such argument */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      isolation: { type: 'string', default: 'auto' },
      template: { type: 'string', multiple: true, default: ['base'] },
      domain: { type: 'string' },
      envd: { type: 'string' },
      prepare: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { kind: 'help' };
  const { isolation } = values;
  if (!isIsolation(isolation)) throw new Error(`--isolation is one of ${ISOLATIONS.join(', ')}, not ${isolation}.`);
  return {
    kind: 'start',
    isQuiet: values.quiet,
    isPreparation: values.prepare,
    options: {
      port: values.port === undefined ? DEFAULT_PORT : toPort(values.port),
      host: values.host,
      isolation,
      templates: Object.fromEntries(values.template.map(toTemplate)),
      domainName: values.domain,
      envdPath: values.envd === undefined ? undefined : resolve(values.envd),
    },
  };
}

function isIsolation(text: string): text is Isolation | 'auto' {
  return ISOLATIONS.includes(text);
}

function toPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port is a number up to 65535, not ${text}.`);
  return port;
}

function toTemplate(text: string): [name: string, options: TemplateOptions] {
  const separator = text.indexOf('=');
  if (separator < 0) return [text, {}];
  return [text.slice(0, separator), { image: text.slice(separator + 1) }];
}
