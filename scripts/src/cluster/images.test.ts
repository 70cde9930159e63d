import { describe, expect, it } from 'vitest';
import { fullImageName } from './images.ts';

describe('fullImageName', () => {
  it.each([
    ['node:24-slim', 'docker.io/library/node:24-slim'],
    ['node', 'docker.io/library/node:latest'],
    ['someone/tool:1', 'docker.io/someone/tool:1'],
    ['localhost/pause:1', 'localhost/pause:1'],
    ['registry.example:5000/team/tool', 'registry.example:5000/team/tool:latest'],
    ['agent-workspace:4f2a', 'docker.io/library/agent-workspace:4f2a'],
  ])('%s is %s', (name, full) => {
    expect(fullImageName(name)).toBe(full);
  });
});
