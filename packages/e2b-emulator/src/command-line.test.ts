import { expect, it } from 'vitest';
import { parseCommandLine } from './command-line.ts';

it('has defaults', () => {
  expect(parseCommandLine([])).toEqual({
    kind: 'start',
    isQuiet: false,
    isPreparation: false,
    options: { port: 49_980, isolation: 'auto', templates: { base: {} } },
  });
});

it('takes templates with and without an image', () => {
  const command = parseCommandLine(['--template', 'base', '--template', 'node=registry:5000/node:24', '--port', '0']);
  expect(command).toMatchObject({
    options: { port: 0, templates: { base: {}, node: { image: 'registry:5000/node:24' } } },
  });
});

it('takes the path of an envd from where it is started', () => {
  const command = parseCommandLine(['--envd', 'bin/envd', '--isolation', 'docker', '--domain', 'mine', '--quiet']);
  expect(command).toMatchObject({
    isQuiet: true,
    options: { envdPath: `${process.cwd()}/bin/envd`, isolation: 'docker', domainName: 'mine' },
  });
});

it('asks for help', () => {
  expect(parseCommandLine(['--help'])).toEqual({ kind: 'help' });
});
