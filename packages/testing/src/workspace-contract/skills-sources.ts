import { createHash } from 'node:crypto';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillInvalidError, WorkspaceError } from '@agent-workspace/core';
import { expect, it } from 'vitest';
import { makeFixtureSkill, skillText } from '../skills/fixture-skill.ts';
import { TemporaryDirectory } from '../skills/temporary-directory.ts';
import { foldersIn, inSkills, namesOf, readIndex, readText, sh, type SkillsContractOptions } from './skills-subject.ts';

/** Folders on the host, given at the start or added later. */
export function skillsSourcesCases({ open }: SkillsContractOptions): void {
  it('skills:one-bad: lists the good ones of a folder, and says what is wrong with the bad one [S09]', async () => {
    await using source = await TemporaryDirectory.create({
      'a/SKILL.md': skillText({ name: 'a' }),
      'b/SKILL.md': Uint8Array.of(0xff, 0xfe, 0),
      'c/SKILL.md': skillText({ name: 'c' }),
      'd/SKILL.md': skillText({ name: 'd' }),
    });
    await using subject = await open({ skillPaths: [source.path] });
    expect(await namesOf(subject)).toEqual(['a', 'c', 'd']);
    const [diagnostic, ...others] = subject.diagnostics();
    expect(others).toEqual([]);
    expect(diagnostic).toMatchObject({
      kind: 'skill',
      path: source.at('b'),
      reason: expect.stringContaining('its SKILL.md is not UTF-8 text'),
    });
  });

  it('skills:leaf-or-parent: takes the folder of a skill, and a folder of skills [S10]', async () => {
    await using source = await TemporaryDirectory.create({
      'one/SKILL.md': skillText({ name: 'one' }),
      'many/two/SKILL.md': skillText({ name: 'two' }),
      'many/three/SKILL.md': skillText({ name: 'three' }),
      'none/README.md': 'nothing here',
    });
    await using subject = await open({ skillPaths: [source.at('one'), source.at('many'), source.at('none')] });
    expect(await namesOf(subject)).toEqual(['one', 'three', 'two']);
    expect(subject.diagnostics()).toMatchObject([
      { path: source.at('none'), reason: expect.stringContaining('there is no SKILL.md in it') },
    ]);
    await expect(subject.add({ path: source.at('many') })).rejects.toThrow(/holds 2 skills; give the folder of one/);
    await expect(subject.add({ path: source.at('one/SKILL.md') })).rejects.toThrow(/it is no folder/);
    await expect(subject.add({ path: source.at('none') })).rejects.toThrow(SkillInvalidError);
  });

  it('skills:linked-skill-file: follows a SKILL.md that is a link inside the source, no other [S12]', async () => {
    await using source = await TemporaryDirectory.create({
      'in/shared.md': skillText({ name: 'foo' }),
      'in/foo/SKILL.md': { link: '../shared.md' },
      'outside.md': skillText({ name: 'bar' }),
      'out/bar/SKILL.md': { link: '../../outside.md' },
    });
    await using subject = await open({ skillPaths: [source.at('in'), source.at('out')] });
    expect(await namesOf(subject)).toEqual(['foo']);
    expect(await subject.backend.stat(inSkills(subject, 'foo/SKILL.md'), { noFollow: true })).toMatchObject({
      kind: 'file',
    });
    expect(subject.diagnostics()).toMatchObject([
      { path: source.at('out/bar'), reason: expect.stringContaining('leads out of') },
    ]);
  });

  it('skills:nested: takes a SKILL.md inside a skill for one of its files [S13]', async () => {
    await using source = await TemporaryDirectory.create({
      'foo/SKILL.md': skillText({ name: 'foo' }),
      'foo/examples/bar/SKILL.md': skillText({ name: 'bar' }),
    });
    await using subject = await open({ skillPaths: [source.path] });
    expect(await namesOf(subject)).toEqual(['foo']);
    expect(await readText(subject, inSkills(subject, 'foo/examples/bar/SKILL.md'))).toBe(skillText({ name: 'bar' }));
  });

  it('skills:two-ways: counts a folder that is reached in two ways once [S14]', async () => {
    await using source = await TemporaryDirectory.create({
      'src/foo/SKILL.md': skillText({ name: 'foo' }),
      'src/foo2': { link: 'foo' },
    });
    await using subject = await open({ skillPaths: [source.at('src'), source.at('src/foo'), source.at('src/foo2')] });
    expect(await namesOf(subject)).toEqual(['foo']);
    expect(await foldersIn(subject)).toEqual(['.skills', 'foo']);
    expect(subject.diagnostics()).toEqual([]);
  });

  it('skills:link-to-tree: leaves out a link to a huge tree, and says so [S15]', { timeout: 60_000 }, async () => {
    await using skill = await makeFixtureSkill({ name: 'foo', files: { big: { link: '/usr' }, 'a.txt': 'a' } });
    await using subject = await open();
    await subject.add({ path: skill.path });
    expect(await foldersIn(subject, 'foo')).toEqual(['SKILL.md', 'a.txt']);
    expect(subject.diagnostics()).toEqual([
      {
        kind: 'skill',
        path: join(skill.path, 'big'),
        reason: 'it is left out: the link to "/usr" leads out of it',
        severity: 'warning',
      },
    ]);
  });

  it('skills:links-inside: keeps links that stay inside, also those that are written as absolute paths', async () => {
    await using skill = await makeFixtureSkill({ name: 'foo', files: { 'lib/x': '#!/bin/sh\necho x\n' } });
    const source = skill.path;
    await mkdir(join(source, 'bin'));
    await symlink('../lib/x', join(source, 'bin/relative'));
    await symlink(join(source, 'lib/x'), join(source, 'bin/absolute'));
    await symlink('./../bin/../lib', join(source, 'bin/detour'));
    await using subject = await open();
    await subject.add({ path: source });
    const read = `cd "${inSkills(subject, 'foo/bin')}" && for link in *; do readlink "$link"; done && cat absolute detour/x`;
    expect(await sh(subject, read)).toBe('../lib/x\n../lib\n../lib/x\n#!/bin/sh\necho x\n#!/bin/sh\necho x\n');
  });

  it('skills:bytes: copies every byte of a binary file [S19]', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await using skill = await makeFixtureSkill({ name: 'foo', files: { 'assets/x.bin': bytes } });
    await using subject = await open();
    await subject.add({ path: skill.path });
    const { bytes: copied } = await subject.backend.readFile(inSkills(subject, 'foo/assets/x.bin'));
    expect([...copied]).toEqual([...bytes]);
  });

  it('skills:whole: copies every folder and file, with the right to run it [S20]', async () => {
    const files = {
      'scripts/run.sh': { content: '#!/bin/sh\necho ran\n', mode: 0o777 },
      'references/a/b.md': 'reference',
      'assets/logo.svg': '<svg/>',
      LICENSE: 'free',
      '.hidden': 'h',
    };
    await using skill = await makeFixtureSkill({ name: 'foo', files });
    await mkdir(join(skill.path, 'empty'));
    await using subject = await open();
    const { directory } = await subject.add({ path: skill.path });
    expect(await foldersIn(subject, 'foo')).toEqual([
      '.hidden',
      'LICENSE',
      'SKILL.md',
      'assets',
      'empty',
      'references',
      'scripts',
    ]);
    expect(await readText(subject, `${directory}/references/a/b.md`)).toBe('reference');
    expect(await sh(subject, `"${directory}/scripts/run.sh"`)).toBe('ran\n');
    const { mode } = (await subject.backend.stat(`${directory}/scripts/run.sh`)) ?? { mode: undefined };
    expect(mode).toBe(0o755);
  });

  it('skills:noise: sees the same skill in a copy with a .DS_Store and node_modules [S22]', async () => {
    await using plain = await makeFixtureSkill({ name: 'foo', files: { 'a.txt': 'a' } });
    await using noisy = await makeFixtureSkill({
      name: 'foo',
      files: { 'a.txt': 'a', '.DS_Store': 'x', 'node_modules/m/index.js': 'y', 'sub/.DS_Store': 'z' },
    });
    await using subject = await open();
    const first = await subject.add({ path: plain.path });
    expect(await subject.add({ path: noisy.path })).toEqual(first);
    expect(await namesOf(subject)).toEqual(['foo']);
    await using other = await makeFixtureSkill({ name: 'foo', files: { 'a.txt': 'b' } });
    expect(await subject.add({ path: other.path })).toMatchObject({ name: 'foo (1)' });
  });

  it('skills:link-not-read: neither reads nor counts what a link outside leads to [S23]', async () => {
    await using outside = await TemporaryDirectory.create({ secret: 'one' });
    await using skill = await makeFixtureSkill({ name: 'foo', files: { x: { link: outside.at('secret') } } });
    await using subject = await open();
    const first = await subject.add({ path: skill.path });
    expect(await foldersIn(subject, 'foo')).toEqual(['SKILL.md']);
    await outside.write({ secret: 'two' });
    expect(await subject.add({ path: skill.path })).toEqual(first);
  });

  it('skills:same-winner: gives a name that two skills have to the same one each time [S24]', async () => {
    await using source = await TemporaryDirectory.create({
      'z/SKILL.md': skillText({ name: 'same', description: 'The one in z.' }),
      'a/SKILL.md': skillText({ name: 'same', description: 'The one in a.' }),
    });
    const expected = [
      { name: 'same', description: 'The one in a.' },
      { name: 'same (1)', description: 'The one in z.' },
    ];
    for (let run = 0; run < 5; run += 1) {
      await using subject = await open({ skillPaths: [source.path] });
      for (let look = 0; look < 10; look += 1) expect(await subject.list()).toMatchObject(expected);
      expect(await foldersIn(subject)).toEqual(['.skills', 'same', 'same_1']);
    }
  });

  it('skills:failed-copy: leaves nothing of a copy that failed, and takes the skill the next time [S31]', async () => {
    await using skill = await makeFixtureSkill({ name: 'foo', files: { 'z/last.txt': 'whole' } });
    await using subject = await open();
    // Root reads everything, so for root it is a limit that stops the copy.
    const isRoot = process.getuid?.() === 0;
    const deep = join(skill.path, ...Array.from({ length: 33 }, () => 'd'));
    if (isRoot) await mkdir(deep, { recursive: true });
    else await chmod(join(skill.path, 'z/last.txt'), 0);
    const error: unknown = await subject.add({ path: skill.path }).catch((thrown: unknown) => thrown);
    expect(WorkspaceError.isInstance(error) && error.code).toBe(isRoot ? 'limit-exceeded' : 'permission-denied');
    expect(await namesOf(subject)).toEqual([]);
    if (isRoot) await rm(join(skill.path, 'd'), { recursive: true });
    else await chmod(join(skill.path, 'z/last.txt'), 0o644);
    const added = await subject.add({ path: skill.path });
    expect(added.name).toBe('foo');
    expect(await readText(subject, `${added.directory}/z/last.txt`)).toBe('whole');
  });

  it('skills:index: writes the index that AgentScope reads, with the hash of the whole folder beside', async () => {
    await using skill = await makeFixtureSkill({ name: 'foo', files: { 'a.txt': 'a' } });
    await using subject = await open();
    await subject.add({ path: skill.path });
    const hash = createHash('sha256')
      .update(skillText({ name: 'foo' }))
      .digest('hex');
    expect(await readIndex(subject, '.skills')).toEqual({
      skills_dir_mtime: expect.any(Number),
      skills: { foo: { hash, skill_name: 'foo', tree_hash: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    await writeFile(join(skill.path, 'a.txt'), 'b');
    await subject.add({ path: skill.path });
    expect(await readIndex(subject, '.skills')).toMatchObject({ skills: { foo_1: { skill_name: 'foo (1)' } } });
  });
}
