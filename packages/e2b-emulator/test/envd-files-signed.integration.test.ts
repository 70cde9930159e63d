import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDirectory } from './support/empty-directory.ts';
import { EnvdProcess } from './support/envd-process.ts';
import { answerOf, filesClient, formOf, OCTETS } from './support/files-client.ts';
import { NODES } from './support/nodes.ts';

const TOKEN = 'secret-token';

/** By the recipe in the documentation of the protocol, not by the code that is tested. */
function signature(parts: readonly (string | number)[]): string {
  return `v1_${createHash('sha256').update(parts.join(':')).digest('base64').replaceAll('=', '')}`;
}

describe.each(NODES)('Signed requests to /files on $name', ({ node }) => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ node });
    const body = JSON.stringify({ accessToken: TOKEN });
    expect((await fetch(`${envd.url}/init`, { method: 'POST', body })).status).toBe(204);
  });
  afterAll(() => envd[Symbol.asyncDispose]());
  beforeEach(() => emptyDirectory(envd.home));

  const { inHome, get, post } = filesClient(() => envd);

  const [past, future] = [-100, 100].map((seconds) => Math.floor(Date.now() / 1000) + seconds) as [number, number];
  const refused = (message: string): unknown => [401, { code: 401, message }];

  beforeEach(() => writeFile(inHome('f'), 'content'));

  it.each([
    ['without an end', 'f', ['f', 'read', '', TOKEN], {}],
    ['with an end', 'f', ['f', 'read', '', TOKEN, future], { signature_expiration: future }],
    ['for a user', 'f', ['f', 'read', 'root', TOKEN], { username: 'root' }],
    ['for a path as it is written', './x/../f', ['./x/../f', 'read', '', TOKEN], {}],
  ])('lets in %s', async (_what, path, parts, more) => {
    const answer = await get({ path, signature: signature(parts), ...more });
    expect([answer.status, await answer.text()]).toEqual([200, 'content']);
  });

  it.each([
    ['the other operation', ['f', 'write', '', TOKEN], {}, 'invalid signature'],
    ['another path', ['g', 'read', '', TOKEN], {}, 'invalid signature'],
    ['another user', ['f', 'read', '', TOKEN], { username: 'root' }, 'invalid signature'],
    ['another token', ['f', 'read', '', 'other'], {}, 'invalid signature'],
    ['another end', ['f', 'read', '', TOKEN, past], { signature_expiration: future }, 'invalid signature'],
    [
      'an end that has passed',
      ['f', 'read', '', TOKEN, past],
      { signature_expiration: past },
      'signature is already expired',
    ],
  ])('refuses %s', async (_what, parts, more, message) => {
    expect(await answerOf(await get({ path: 'f', signature: signature(parts), ...more }))).toEqual(refused(message));
  });

  it('refuses who has neither token nor signature, and an end that is no number', async () => {
    expect(await answerOf(await get({ path: 'f' }))).toEqual(refused('missing signature query parameter'));
    const answer = await get({ path: 'f', signature: 'x', signature_expiration: 'soon' });
    expect(answer.status).toBe(400);
  });

  it('takes the token, and a wrong one decides beside a good signature', async () => {
    expect((await get({ path: 'f' }, { 'x-access-token': TOKEN })).status).toBe(200);
    const signed = { path: 'f', signature: signature(['f', 'read', '', TOKEN]) };
    const message = 'access token present in header but does not match';
    expect(await answerOf(await get(signed, { 'x-access-token': 'wrong' }))).toEqual(refused(message));
  });

  it('takes the token only where files are composed', async () => {
    const init = { method: 'POST', body: JSON.stringify({ source_paths: ['none'], destination: 'x' }) };
    expect((await fetch(`${envd.url}/files/compose`, init)).status).toBe(401);
    const headers = { 'x-access-token': TOKEN };
    expect((await fetch(`${envd.url}/files/compose`, { ...init, headers })).status).toBe(404);
  });

  it('signs uploads too', async () => {
    const signed = { path: 'up', signature: signature(['up', 'write', '', TOKEN]) };
    expect((await post(signed, { body: formOf([undefined, 'x']) })).status).toBe(200);
    const read = { path: 'up', signature: signature(['up', 'read', '', TOKEN]) };
    expect(await answerOf(await post(read, { body: 'y', headers: OCTETS }))).toEqual(refused('invalid signature'));
    expect(await readFile(inHome('up'), 'utf8')).toBe('x');
  });
});
