import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bash, type CallOptions, EnvdProcess } from './support/envd-process.ts';
import { NODES } from './support/nodes.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const START = 'process.Process/Start';
const CONNECT = 'process.Process/Connect';

/** A call, and what was recorded of the real envd's answer to it. A pid is what it may differ in. */
interface Row {
  /** Of the record of the protocol, with what it says. */
  readonly fact: string;
  readonly call: readonly [procedure: string, request: object, options?: CallOptions];
  readonly status: number;
  readonly type: string;
  /** Of a unary call. */
  readonly body?: unknown;
  /** Of a stream: flags and messages. */
  readonly frames?: readonly (readonly [flags: number, message: object])[];
}

const started = [0, { event: { start: { pid: expect.any(Number) as number } } }] as const;
const success = [2, {}] as const;
const failure = (code: string, message: string) => [2, { error: { code, message } }] as const;
const data = (output: object) => [0, { event: { data: output } }] as const;
const end = (event: object) => [0, { event: { end: event } }] as const;
const stream = { status: 200, type: 'application/connect+json' };
const unary = { status: 200, type: 'application/json' };

const ROWS: readonly Row[] = [
  {
    fact: '`List` of no processes is an empty message',
    call: ['process.Process/List', {}],
    ...unary,
    body: {},
  },
  {
    fact: 'an `end` with exit 0 leaves out what is zero',
    call: [START, bash('exit 0')],
    ...stream,
    frames: [started, end({ exited: true, status: 'exit status 0' }), success],
  },
  {
    fact: 'a normal non-zero exit has `error` “exit status 3”',
    call: [START, bash('exit 3')],
    ...stream,
    frames: [started, end({ exitCode: 3, exited: true, status: 'exit status 3', error: 'exit status 3' }), success],
  },
  {
    fact: 'bytes are base64, with the output they came from',
    call: [START, bash('printf ü; exec >&-; exit 0')],
    ...stream,
    frames: [started, data({ stdout: base64('ü') }), end({ exited: true, status: 'exit status 0' }), success],
  },
  {
    fact: 'killed: `exitCode` -1, `exited` absent, `status` and `error` “signal: killed”',
    call: [START, bash('kill -KILL $$')],
    ...stream,
    frames: [started, end({ exitCode: -1, status: 'signal: killed', error: 'signal: killed' }), success],
  },
  {
    fact: 'other signals by the names that Go gives them',
    call: [START, bash('kill -TERM $$')],
    ...stream,
    frames: [started, end({ exitCode: -1, status: 'signal: terminated', error: 'signal: terminated' }), success],
  },
  {
    fact: 'a missing cwd is invalid_argument, in the end frame of an answer with status 200',
    call: [START, bash('true', { process: { cwd: '/no/such/place' } })],
    ...stream,
    frames: [failure('invalid_argument', "cwd '/no/such/place' does not exist")],
  },
  {
    fact: 'an unknown user is unauthenticated',
    call: [START, bash('true'), { user: 'nobody-here' }],
    ...stream,
    frames: [failure('unauthenticated', "invalid username: 'nobody-here'")],
  },
  {
    fact: 'an unknown user is status 401 where the call is unary',
    call: ['process.Process/List', {}, { user: 'nobody-here' }],
    status: 401,
    type: 'application/json',
    body: { code: 'unauthenticated', message: "invalid username: 'nobody-here'" },
  },
  {
    fact: 'a deadline on `Start` ends the stream with deadline_exceeded',
    call: [START, bash('exec sleep 60'), { headers: { 'connect-timeout-ms': '200' } }],
    ...stream,
    frames: [started, failure('deadline_exceeded', 'context deadline exceeded')],
  },
  {
    fact: 'an unknown pid is not_found: 404 where the call is unary',
    call: ['process.Process/SendSignal', { process: { pid: 4_000_001 }, signal: 'SIGNAL_SIGKILL' }],
    status: 404,
    type: 'application/json',
    body: { code: 'not_found', message: 'process with pid 4000001 not found' },
  },
  {
    fact: 'an unknown pid is not_found, in the end frame of a stream',
    call: [CONNECT, { process: { pid: 4_000_001 } }],
    ...stream,
    frames: [failure('not_found', 'process with pid 4000001 not found')],
  },
  {
    fact: 'an unknown tag is not_found',
    call: ['process.Process/SendInput', { process: { tag: 'nothing' }, input: { stdin: '' } }],
    status: 404,
    type: 'application/json',
    body: { code: 'not_found', message: 'process with tag nothing not found' },
  },
  {
    fact: 'a selector that selects nothing is unimplemented: status 501',
    call: ['process.Process/CloseStdin', {}],
    status: 501,
    type: 'application/json',
    body: { code: 'unimplemented', message: 'invalid input type *process.ProcessSelector' },
  },
  {
    fact: 'a field of another type is invalid_argument: status 400',
    call: ['process.Process/CloseStdin', { process: { pid: 'x' } }],
    status: 400,
    type: 'application/json',
    body: { code: 'invalid_argument', message: expect.stringMatching(/^unmarshal message: /) as string },
  },
];

describe.each(NODES)('the answers of envd agree with those recorded (section 4, $name)', ({ node }) => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ node });
  });
  afterAll(() => envd[Symbol.asyncDispose]());

  it.each(ROWS)('$fact', async ({ call, status, type, body, frames }) => {
    const answer = frames === undefined ? await envd.unary(...call) : await envd.stream(...call);
    const content = 'frames' in answer ? answer.frames.map(({ flags, message }) => [flags, message]) : answer.body;
    expect({ status: answer.status, type: answer.headers.get('content-type'), content }).toEqual({
      status,
      type,
      content: frames ?? body,
    });
  });
});
