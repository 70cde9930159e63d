import { expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell, textAt } from './contract-backend.ts';
import { expectConfined, makeOutsideDirectory } from './outside-directory.ts';

/** Paths, and where they lead. */
export function filesBorderContract(options: BackendContractOptions): void {
  it('files:link-out: follows no link out of the roots, for no method [X03] [X10]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await using outside = await makeOutsideDirectory(backend, options);
    await runShell(backend, `ln -s '${outside.path}/secret.txt' f; ln -s '${outside.path}' d`);
    for (const path of ['f', 'd/secret.txt']) {
      await expectConfined(backend, backend.readFile(path));
      await expectConfined(
        backend,
        backend.openRead(path).then((stream) => stream.cancel()),
      );
      await expectConfined(backend, backend.stat(path));
    }
    await expectConfined(backend, backend.readDirectory('d'));
    await expectConfined(backend, backend.appendRecord('d/log', ['x']));
    await expectConfined(backend, backend.writeFile('f', 'changed'));
    await expectConfined(backend, backend.rename('d/secret.txt', 'd/moved.txt'));
    await expectConfined(backend, backend.remove('d/moved.txt'));
    const isBorderless = backend.roots === null;
    expect(await outside.names()).toEqual(isBorderless ? ['log'] : ['secret.txt']);
    expect(await backend.realPath('f')).toBe(await backend.realPath(`${outside.path}/secret.txt`));
    expect((await backend.stat('f', { noFollow: true }))?.kind).toBe('link');
  });

  it('files:link-out-new: makes nothing where a linked parent or a dangling link leads out [X04]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await using outside = await makeOutsideDirectory(backend, options);
    await runShell(backend, `ln -s '${outside.path}' d; ln -s '${outside.path}/made.txt' dangling`);
    await expectConfined(backend, backend.writeFile('d/new/x.txt', 'x'));
    await expectConfined(backend, backend.makeDirectory('d/made'));
    await expectConfined(backend, backend.writeFile('dangling', 'x'));
    const expected = backend.roots === null ? ['made', 'made.txt', 'new', 'secret.txt'] : ['secret.txt'];
    expect(await outside.names()).toEqual(expected);
  });

  it('files:dotted-name: a name that begins with two dots is a name [X08]', async () => {
    await using contract = await openContractBackend(options);
    await contract.backend.writeFile('..cache/a.txt', 'x');
    expect(await textAt(contract.backend, `${contract.backend.workdir}/..cache/a.txt`)).toBe('x');
  });

  it('files:path-invalid: refuses paths that no file can have, and loops of links', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'ln -s loop-b loop-a; ln -s loop-a loop-b');
    const invalid = { code: 'path-invalid' };
    for (const path of ['', 'a\0b', 'x'.repeat(300), `a/${'x'.repeat(300)}/b`, 'loop-a', 'loop-a/x', '\ud800']) {
      await expect(backend.readFile(path)).rejects.toMatchObject(invalid);
      await expect(backend.writeFile(path, '')).rejects.toMatchObject(invalid);
      await expect(backend.stat(path)).rejects.toMatchObject(invalid);
    }
    await expect(backend.realPath('loop-a')).rejects.toMatchObject(invalid);
    expect((await backend.stat('loop-a', { noFollow: true }))?.kind).toBe('link');
  });

  it('files:real-path: follows links, and keeps what is missing behind the nearest parent', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const real = await backend.realPath('.');
    await runShell(backend, 'mkdir -p a/b; ln -s a/b l; ln -s a/none dangling');
    await backend.writeFile('a/b/f', '');
    expect(await backend.realPath('l/f')).toBe(`${real}/a/b/f`);
    expect(await backend.realPath('l/no/such')).toBe(`${real}/a/b/no/such`);
    expect(await backend.realPath('dangling/x')).toBe(`${real}/a/none/x`);
    expect(await backend.realPath('l/../c')).toBe(`${real}/c`);
  });
}
