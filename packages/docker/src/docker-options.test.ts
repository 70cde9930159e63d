import { describe, expect, it } from 'vitest';
import { checkContainerOptions, type DockerContainerOptions } from './docker-options.ts';

describe('the options of a container', () => {
  it.each<[string, DockerContainerOptions]>([
    ['limits.memoryBytes', { limits: { memoryBytes: Number.NaN } }],
    ['limits.memoryBytes', { limits: { memoryBytes: 0 } }],
    ['limits.memoryBytes', { limits: { memoryBytes: 1.5 } }],
    ['limits.memoryBytes', { limits: { memoryBytes: Number.POSITIVE_INFINITY } }],
    ['limits.pids', { limits: { pids: Number.NaN } }],
    ['limits.pids', { limits: { pids: 0 } }],
    ['limits.pids', { limits: { pids: -1 } }],
    ['limits.cpus', { limits: { cpus: Number.NaN } }],
    ['limits.cpus', { limits: { cpus: 0 } }],
    ['limits.cpus', { limits: { cpus: -0.5 } }],
    ['limits.cpus', { limits: { cpus: 1e-10 } }],
    ['limits.cpus', { limits: { cpus: Number.POSITIVE_INFINITY } }],
    ['startTimeoutMs', { startTimeoutMs: 0 }],
    ['startTimeoutMs', { startTimeoutMs: 0.5 }],
    ['startTimeoutMs', { startTimeoutMs: Number.NaN }],
    ['startTimeoutMs', { startTimeoutMs: 2 ** 31 }],
    ['gatewayPort', { gatewayPort: 65_536 }],
    ['volume', { volume: 'a/b' }],
    ['volume', { volume: 'data', workdir: 'data' }],
    ['transport', { transport: 'port', network: 'none' }],
  ])('refuses a %s that means nothing: %j', (option, options) => {
    expect(() => checkContainerOptions(options)).toThrow(
      expect.objectContaining({ code: 'docker-options-invalid', details: { option, reason: expect.any(String) } }),
    );
  });

  it('takes what makes sense', () => {
    const limits = { memoryBytes: 512 * 1024 ** 2, cpus: 0.25, pids: 64 };
    expect(() => checkContainerOptions({ limits, startTimeoutMs: 2 ** 31 - 1, volume: 'data' })).not.toThrow();
    expect(() => checkContainerOptions({ limits: { pids: undefined }, workdir: 'data' })).not.toThrow();
  });
});
