import { describe, expect, it } from 'vitest';
import { newPartitionName, partitionsOf } from './partition-names.ts';

describe('newPartitionName', () => {
  it.each([
    ['agent-1', [], 'agent-1'],
    ['Agent', [], '%41gent'],
    ['foo', ['foo'], '%66oo'],
    ['foo', ['foo', '%66oo'], '~%66oo'],
    ['foo', ['FOO'], '%66oo'],
    ['default', [], '%64efault'],
    ['Agent', ['%41gent'], '~%41gent'],
  ])('names the folder of %j, where %j are taken, %j', (agentId, taken, name) => {
    expect(newPartitionName(agentId, taken)).toBe(name);
  });

  it('gives no two agents one folder', () => {
    const taken = ['con', '%63on', '%2563on', 'foo'];
    const names = ['con', '%63on', 'foo', '%66oo'].map((id) => newPartitionName(id, taken));
    expect(new Set(names).size).toBe(4);
  });
});

describe('partitionsOf', () => {
  const find = (agentId: string, ...otherFolders: string[]): readonly string[] =>
    partitionsOf(agentId, { otherFolders: new Set(otherFolders) });

  it('prefers the folder that was made while its plain name was taken', () => {
    expect(find('foo', 'foo', '%66oo')).toEqual(['%66oo', 'foo']);
    expect(find('foo', 'foo')).toEqual(['foo']);
    expect(find('foo')).toEqual([]);
  });

  it('adopts the folder that AgentScope named after the id, where that is safe', () => {
    expect(find('Agent One', 'Agent One')).toEqual(['Agent One']);
    expect(find('../x', '../x')).toEqual([]);
    expect(find('.seed', '.seed')).toEqual([]);
    expect(find('%66oo', '%66oo')).toEqual([]);
  });

  it('takes the folder called default for nobody', () => {
    expect(find('default', 'default')).toEqual([]);
    expect(find('default', 'default', '%64efault')).toEqual(['%64efault']);
  });
});
