import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { vi } from 'vitest';

interface Answer {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Processes take their time to start where many do at once. */
const ANSWER_TIMEOUT_MS = 50_000;

/** A server in a process of its own, spoken to line by line. */
export class StdioProcess implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  #hasExited = false;
  stdout = '';
  stderr = '';

  constructor(argv: readonly string[], { cwd }: { readonly cwd?: string | undefined } = {}) {
    const [command = '', ...args] = argv;
    this.child = spawn(command, args, { cwd });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.child.stdin.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        this.#hasExited = true;
        resolve({ code, signal });
      });
    });
  }

  /** Every line of stdout so far. @throws if one is no JSON */
  get answers(): readonly Answer[] {
    const whole = this.stdout.slice(0, this.stdout.lastIndexOf('\n') + 1);
    return whole
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Answer);
  }

  sendText(text: string): void {
    this.child.stdin.write(text);
  }

  send(message: object): void {
    this.sendText(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Waits for the answer to a request. @throws where the process ends before, with what it said */
  async answerTo(id: number): Promise<Answer> {
    return await vi.waitUntil(
      () => {
        const answer = this.answers.find((candidate) => candidate.id === id);
        if (answer === undefined && this.#hasExited) throw new Error(`It ended without an answer: ${this.stderr}`);
        return answer;
      },
      { timeout: ANSWER_TIMEOUT_MS },
    );
  }

  async initialize(): Promise<Answer> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'lines', version: '1' } };
    this.send({ id: 0, method: 'initialize', params });
    const answer = await this.answerTo(0);
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}
