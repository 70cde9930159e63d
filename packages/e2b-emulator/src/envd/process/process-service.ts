import { ConnectError } from '../connect/connect-error.ts';
import { readKeepaliveMs, withKeepalive } from '../connect/keepalive.ts';
import type { CallContext, Service } from '../connect/service.ts';
import type { EnvdState } from '../envd-state.ts';
import { killGroup, killMarked } from './end-leftovers.ts';
import { PipePool } from './pipes.ts';
import { ProcessTable } from './process-table.ts';
import { type EndingSignal, type ProcessEvent, RunningProcess } from './running-process.ts';
import { sendInput } from './send-input.ts';
import { startProcess } from './start-process.ts';
import { parseSelect, parseSendInput, parseSendSignal, parseStart, parseStreamInput, parseUpdate } from './requests.ts';

/** By name and by number, as protobuf's JSON takes an enum. */
const SIGNALS = new Map<string | number, EndingSignal>([
  ['SIGNAL_SIGKILL', 'SIGKILL'],
  [9, 'SIGKILL'],
  ['SIGNAL_SIGTERM', 'SIGTERM'],
  [15, 'SIGTERM'],
]);

const KEEPALIVE: ProcessEvent = { event: { keepalive: {} } };

async function* follow(process: RunningProcess, context: CallContext): AsyncGenerator<ProcessEvent, void> {
  const events = process.listen(context.signal);
  yield { event: { start: { pid: process.pid } } };
  yield* withKeepalive(events, readKeepaliveMs(context.headers), KEEPALIVE);
}

function describe({ config, pid, tag }: RunningProcess): object {
  const { cmd, args, envs, cwd } = config;
  const hasEnvs = Object.keys(envs).length > 0;
  return {
    config: {
      ...(cmd !== '' && { cmd }),
      ...(args.length > 0 && { args }),
      ...(hasEnvs && { envs }),
      ...(cwd !== undefined && { cwd }),
    },
    pid,
    ...(tag !== undefined && { tag }),
  };
}

/** `process.Process`: starts processes, and lets anybody listen to them, write to them and end them. */
export function createProcessService(state: EnvdState): Service & { close(): Promise<void> } {
  const table = new ProcessTable();
  const pipes = new PipePool();
  pipes.prepare();

  return {
    name: 'process.Process',

    unary: {
      async List() {
        const processes = table.running.map(describe);
        return processes.length > 0 ? { processes } : {};
      },
      async SendInput(request) {
        const { process, input } = parseSendInput(request);
        await sendInput(table.find(process), input);
        return {};
      },
      async CloseStdin(request) {
        const { input } = table.find(parseSelect(request).process);
        if (input.kind === 'pty') {
          const message = 'cannot close stdin for PTY process — send Ctrl+D (0x04) instead';
          throw new ConnectError('unknown', `error closing stdin: ${message}`);
        }
        if (input.kind === 'stdin') await input.close();
        return {};
      },
      async SendSignal(request) {
        const { process, signal } = parseSendSignal(request);
        const found = table.find(process);
        const name = SIGNALS.get(signal);
        if (name === undefined) throw new ConnectError('unimplemented', `invalid signal: ${signal}`);
        found.signal(name);
        return {};
      },
      async Update(request) {
        const { process, pty } = parseUpdate(request);
        const { input } = table.find(process);
        if (pty === undefined) return {};
        if (input.kind !== 'pty') {
          throw new ConnectError('internal', 'error resizing tty: tty not assigned to process');
        }
        input.resize(pty.size);
        return {};
      },
    },

    streams: {
      async *Start(request, context) {
        const process = await startProcess({ request: parseStart(request), context, state, pipes });
        table.add(process);
        yield* follow(process, context);
      },
      async *Connect(request, context) {
        const { process: selector } = parseSelect(request);
        const found = table.findWithEnded(selector);
        if (found instanceof RunningProcess) {
          yield* follow(found, context);
          return;
        }
        yield { event: { start: { pid: found.pid } } };
        yield { event: { end: found.end } };
      },
    },

    clientStreams: {
      async StreamInput(requests) {
        let process: RunningProcess | undefined;
        for await (const request of requests) {
          const { start, data } = parseStreamInput(request);
          if (start !== undefined) process = table.find(start.process);
          if (data === undefined) continue;
          if (process === undefined) throw new ConnectError('invalid_argument', 'input before the process is named');
          await sendInput(process, data.input);
        }
        return {};
      },
    },

    async close() {
      for (const { pid } of table.running) killGroup(pid);
      const sandboxId = state.envs['E2B_SANDBOX_ID'];
      if (sandboxId !== undefined) await killMarked(`E2B_SANDBOX_ID=${sandboxId}`);
      await pipes.close();
    },
  };
}
