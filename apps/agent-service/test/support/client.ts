import { setTimeout as sleep } from 'node:timers/promises';
import type { UIMessage, UIMessageChunk } from 'ai';

export interface SseFrame {
  readonly id?: number | undefined;
  readonly event?: string | undefined;
  readonly data: string;
}

/** How a request gets to a service: over a socket, or to an app in this process. */
export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** Far beyond what a busy machine takes. */
const DEADLINE_MS = 120_000;

/** A tenant's way to a service. */
export class Client {
  readonly #fetch: Fetch;
  readonly #token: string;

  constructor(fetch: Fetch, token: string) {
    this.#fetch = fetch;
    this.#token = token;
  }

  async request(method: string, path: string, init: RequestInit & { readonly json?: unknown } = {}): Promise<Response> {
    const { json, ...rest } = init;
    const headers = new Headers(rest.headers);
    headers.set('authorization', `Bearer ${this.#token}`);
    if (json !== undefined) headers.set('content-type', 'application/json');
    const body = json === undefined ? rest.body : JSON.stringify(json);
    return await this.#fetch(path, { ...rest, method, headers, ...(body === undefined ? {} : { body }) });
  }

  /** What an answer says, which has to be a good one. */
  async json<T>(method: string, path: string, json?: unknown): Promise<T> {
    const response = await this.request(method, path, json === undefined ? {} : { json });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** A whole turn. */
  async chat(session: string, json: unknown): Promise<readonly UIMessageChunk[]> {
    const response = await this.request('POST', `${session}/chat`, { json });
    if (!response.ok) throw new Error(`${session}/chat: ${response.status} ${await response.text()}`);
    return await chunksOf(response);
  }

  async messages(session: string): Promise<readonly UIMessage[]> {
    return (await this.json<{ readonly messages: UIMessage[] }>('GET', `${session}/messages`)).messages;
  }
}

/** The path of a session of an agent. */
export function sessionPath(agentId: string, sessionId: string): string {
  return `/v1/agents/${encodeURIComponent(agentId)}/sessions/${encodeURIComponent(sessionId)}`;
}

/** The events of an answer, as they come. Fails where none comes for too long. */
export async function* framesOf(response: Response): AsyncGenerator<SseFrame, void> {
  if (response.body === null) throw new Error('The answer has no body.');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const late = new AbortController();
      const deadline = sleep(DEADLINE_MS, undefined, { signal: late.signal }).then(
        () => Promise.reject(new Error(`No event came for ${DEADLINE_MS} ms.`)),
        () => new Promise<never>(() => {}),
      );
      const { done, value } = await Promise.race([reader.read(), deadline]).finally(() => late.abort());
      if (done) return;
      text += value;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const parsed = parseFrame(frame);
        if (parsed !== undefined) yield parsed;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseFrame(frame: string): SseFrame | undefined {
  const fields = new Map(
    frame.split('\n').flatMap((line) => {
      const [, name = '', value = ''] = /^(\w+): (.*)$/u.exec(line) ?? [];
      return name === '' ? [] : [[name, value] as const];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const id = fields.get('id');
  return { data, event: fields.get('event'), id: id === undefined ? undefined : Number(id) };
}

/** The chunks of a turn to its end, which has to be told. */
export async function chunksOf(response: Response): Promise<readonly UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const { data } of framesOf(response)) {
    if (data === '[DONE]') return chunks;
    chunks.push(JSON.parse(data) as UIMessageChunk);
  }
  throw new Error(`The stream broke off after ${JSON.stringify(chunks.at(-1))}.`);
}

/** What was said in chunks. */
export function saidIn(chunks: readonly UIMessageChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');
}

/** The texts of a message. */
export function textIn(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Reads events until one is as it should be. */
export async function untilFrame(
  frames: AsyncGenerator<SseFrame, void>,
  isIt: (frame: SseFrame) => boolean,
): Promise<SseFrame> {
  for (;;) {
    const next = await frames.next();
    if (next.done === true) throw new Error('The stream ended before the event came.');
    if (isIt(next.value)) return next.value;
  }
}
