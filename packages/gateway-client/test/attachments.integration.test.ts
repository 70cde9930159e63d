import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { GatewayClient } from '../src/index.ts';
import { echo, runs, useGateway } from './support/gateway-tests.ts';

const tests = useGateway();

describe('attachments', () => {
  it('let two hosts work on one sandbox, which the last one out stops', async () => {
    const one = await tests.open();
    const two = await tests.open();
    expect(two.workspaceId).toBe(one.workspaceId);
    const pid = await tests.gatewayPid();
    await one.backend.writeFile('shared.txt', 'from one');
    expect(Buffer.from((await two.backend.readFile('shared.txt')).bytes).toString()).toBe('from one');
    await one.close();
    expect(await echo(two, 'still here')).toBe('still here');
    expect(await tests.gatewayPid()).toBe(pid);
    await two.close();
    await expect.poll(() => runs(pid)).toBe(false);
  });

  it('have a new token each, which is no argument, is in no log and is refused after close()', async () => {
    const one = await tests.open();
    const two = await tests.open();
    const tokens = [one, two].map(({ watched }) => {
      const lines = (watched?.runs ?? []).flatMap(({ stdin }) => stdin ?? []);
      return (JSON.parse(lines.at(-1) ?? '{}') as { token: string }).token;
    });
    expect(new Set(tokens).size).toBe(2);
    const [token = ''] = tokens;
    expect(JSON.stringify([one, two].flatMap(({ watched }) => watched?.runs.map(({ argv }) => argv)))).not.toContain(
      token,
    );
    const { logFile } = tests.sandbox().gateway;
    expect(await readFile(logFile, 'utf8')).not.toContain(token);
    const commandLine = await readFile(`/proc/${await tests.gatewayPid()}/cmdline`, 'utf8');
    const environment = await readFile(`/proc/${await tests.gatewayPid()}/environ`, 'utf8');
    expect(commandLine + environment).not.toContain(token);

    const eavesdropper = new GatewayClient({ connect: tests.sandbox().connect, token: () => token });
    expect(await eavesdropper.health()).toMatchObject({ status: 'ok', attachments: 2 });
    await one.close();
    await expect(eavesdropper.health()).rejects.toMatchObject({ code: 'gateway-unauthorized' });
    await eavesdropper.close();
    expect(await echo(two, 'goes on')).toBe('goes on');
  });
});

describe('background commands of one host', () => {
  it('are not ended by another that comes and goes', async () => {
    const one = await tests.open();
    const background = await one.backend.startBackground(['sleep', '60']);
    const two = await tests.open();
    const [seen] = await two.backend.listBackground();
    expect(await seen?.state()).toEqual({ kind: 'running' });
    await two.close();
    expect(await background.state()).toEqual({ kind: 'running' });
    await one.close();
    expect(await runs(background.pid)).toBe(false);
  });

  it('outlive it while another is there, and end with the last one out, recorded as closed', async () => {
    const one = await tests.open();
    const bash = (await one.listTools()).find(({ name }) => name === 'Bash');
    for await (const _chunk of bash?.call({ command: 'sleep 60', run_in_background: true }) ?? []) {
      // It says no more than its number.
    }
    const two = await tests.open();
    const [background] = await two.backend.listBackground();
    await one.close();
    expect(await background?.state()).toEqual({ kind: 'running' });
    await two.close();
    expect(await runs(background?.pid ?? 0)).toBe(false);
    const three = await tests.open();
    expect(await (await three.backend.listBackground())[0]?.state()).toEqual({ kind: 'closed' });
  });

  it('end with it although the gateway that started them has died', async () => {
    const one = await tests.open();
    const bash = (await one.listTools()).find(({ name }) => name === 'Bash');
    for await (const _chunk of bash?.call({ command: 'sleep 60', run_in_background: true }) ?? []) {
      // It says no more than its number.
    }
    const [background] = await one.backend.listBackground();
    await tests.killGateway();
    expect(await echo(one, 'back')).toBe('back');
    await one.close();
    expect(await runs(background?.pid ?? 0)).toBe(false);
  });

  it('are taken over where their host is gone', async () => {
    const one = await tests.open();
    const background = await one.backend.startBackground(['sleep', '60']);
    const two = await tests.open();
    await one.close();
    expect(await background.state().catch((error: { code: string }) => error.code)).toBe('gateway-connection-lost');
    await two.close();
    expect(await runs(background.pid)).toBe(false);
  });
});
