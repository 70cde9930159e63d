import { expect, it, vi } from 'vitest';
import { echo, inMemoryServer, outcomeOf } from '../test/support/tools.ts';
import { Toolkit } from './toolkit.ts';

const loads = vi.hoisted(() => ({ count: 0 }));

vi.mock('@cfworker/json-schema', async (importOriginal) => {
  loads.count += 1;
  return await importOriginal();
});

it('loads the validator for the first tool that does not check its own input', async () => {
  const toolkit = new Toolkit({ tools: [echo('Read')], mcps: [inMemoryServer('a', ['x'])] });
  await toolkit.list();
  await outcomeOf(toolkit, 'Read');
  expect(loads.count).toBe(0);
  await outcomeOf(toolkit, 'mcp__a__x');
  await outcomeOf(toolkit, 'mcp__a__x');
  expect(loads.count).toBe(1);
});
