import type { JsonSchema } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { inMemoryServer, outcomeOf, type Outcome } from '../test/support/tools.ts';
import { Toolkit } from './toolkit.ts';

const toolkitWith = (inputSchema: JsonSchema): Toolkit =>
  new Toolkit({
    mcps: [
      inMemoryServer('a', ['x'], {
        inputSchema,
        async *call() {
          yield { content: [], state: 'success', isLast: true, metadata: {} };
        },
      }),
    ],
  });

const check = async (inputSchema: JsonSchema, input: unknown): Promise<Outcome> =>
  await outcomeOf(toolkitWith(inputSchema), 'mcp__a__x', input);

const problemsOf = async (inputSchema: JsonSchema, input: unknown): Promise<string[]> =>
  (await check(inputSchema, input)).text.split('\n').filter((line) => line.startsWith('- '));

describe('the check of arguments', () => {
  it('says for each problem where it is, what is expected and what is given', async () => {
    const schema = {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 2 },
        limit: { type: 'integer', maximum: 100 },
        order: { enum: ['new', 'old'] },
        filter: { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } },
      },
      required: ['query', 'limit'],
      additionalProperties: false,
    };
    const input = { query: 'q', order: 'best', filter: { tags: ['a', 7] }, colour: 'red' };
    expect(await check(schema, input)).toEqual({
      state: 'error',
      text: [
        'mcp__a__x did not run, since its input is not valid:',
        '- limit: it is required',
        '- query: String is too short (1 < 2); "q" is given',
        '- order: one of ["new","old"] is expected; "best" is given',
        '- filter.tags.1: string is expected; 7 is given',
        '- colour: there is no such parameter',
        'Its parameters are: query, limit, order, filter.',
      ].join('\n'),
    });
    expect(await check(schema, { query: 'qq', limit: 3 })).toMatchObject({ state: 'success' });
  });

  it('takes no input for an empty one', async () => {
    expect(await check({ type: 'object' }, undefined)).toMatchObject({ state: 'success' });
    expect(await problemsOf({ type: 'object' }, [1])).toEqual(['- input: object is expected; [1] is given']);
  });

  it('puts alternatives together', async () => {
    const schema = {
      type: 'object',
      properties: { at: { anyOf: [{ type: 'string' }, { type: 'null' }] }, n: { type: ['number', 'boolean'] } },
    };
    expect(await problemsOf(schema, { at: 3, n: 'x' })).toEqual([
      '- at: string is expected, or null is expected; 3 is given',
      '- n: number or boolean is expected; "x" is given',
    ]);
  });

  it('follows references, and names with slashes and tildes', async () => {
    const schema = {
      type: 'object',
      properties: { 'a/b~c d': { $ref: '#/$defs/point' } },
      $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
    };
    expect(await problemsOf(schema, { 'a/b~c d': {} })).toEqual(['- a/b~c d.x: it is required']);
    expect(await problemsOf(schema, { 'a/b~c d': { x: 'one' } })).toEqual([
      '- a/b~c d.x: number is expected; "one" is given',
    ]);
  });

  it('reads the dialect that the schema names', async () => {
    const tuple = { properties: { pair: { items: [{ type: 'string' }, { type: 'number' }] } } };
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', ...tuple };
    expect(await problemsOf(draft07, { pair: ['a', 'b'] })).toEqual(['- pair.1: number is expected; "b" is given']);
  });

  it('tells parameters from keywords of the same name', async () => {
    const schema = {
      type: 'object',
      properties: { pattern: { type: 'string' }, format: true, uniqueItems: { type: 'boolean' } },
      required: ['pattern'],
      additionalProperties: false,
    };
    expect(await check(schema, { pattern: '*.ts', format: 1, uniqueItems: true })).toMatchObject({ state: 'success' });
    expect(await problemsOf(schema, {})).toEqual(['- pattern: it is required']);
  });

  it('leaves regular expressions to the server, since one may never end', async () => {
    const schema = {
      type: 'object',
      properties: { text: { type: 'string', pattern: '^(a+)+$' } },
      patternProperties: { '^x-': { type: 'string' } },
      additionalProperties: false,
    };
    const input = { text: `${'a'.repeat(64)}!`, 'x-more': 'y' };
    expect(await check(schema, input)).toMatchObject({ state: 'success' });
  });

  it('gives up on a schema whose references double at each level, and reports it', async () => {
    const twice = (name: string): JsonSchema => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const levels = Array.from({ length: 40 }, (_, level) => [`d${level}`, twice(`d${level + 1}`)] as const);
    const schema = {
      type: 'object',
      ...twice('d0'),
      $defs: { ...Object.fromEntries(levels), d40: { type: 'object' } },
    };
    const toolkit = toolkitWith(schema);
    expect(await outcomeOf(toolkit, 'mcp__a__x', {})).toMatchObject({ state: 'success' });
    expect(toolkit.problems).toMatchObject([
      { source: 'the input schema of mcp__a__x', error: { code: 'limit-exceeded' } },
    ]);
  });

  it.each([
    ['a reference that leads nowhere', { type: 'object', $ref: '#/$defs/nowhere' }],
    ['a reference to itself', { $ref: '#' }],
    ['nonsense', { type: 'object', required: 7 }],
  ])('lets the tool decide, and reports it, where the schema has %s', async (_what, schema) => {
    const toolkit = toolkitWith(schema);
    expect(await outcomeOf(toolkit, 'mcp__a__x', { a: 1 })).toMatchObject({ state: 'success' });
    expect(toolkit.problems.map(({ source }) => source)).toEqual(['the input schema of mcp__a__x']);
  });

  it('shows ten problems and the number of the others, and the beginning of a long value', async () => {
    const schema = { type: 'object', additionalProperties: { type: 'number' } };
    const input = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`key${index}`, 'v'.repeat(500)]));
    const problems = await problemsOf(schema, input);
    expect(problems).toHaveLength(11);
    expect(problems.at(-1)).toBe('- and 3 more');
    expect(problems[0]?.length).toBeLessThan(150);
  });
});
