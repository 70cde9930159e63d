import { DockerRequestFailedError } from '@agent-workspace/core';
import type Docker from 'dockerode';
import { translateEngineError } from './translate-error.ts';

/** What every request to the engine may be given. */
export interface EngineCallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Longer than any single request takes; what runs on (a build, a stream) is not bound by it. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Makes requests with a deadline, and translates what they fail with. */
export class EngineCaller {
  readonly docker: Docker;
  readonly endpoint: string;

  constructor(docker: Docker, endpoint: string) {
    this.docker = docker;
    this.endpoint = endpoint;
  }

  /**
   * @param operation what is asked, as it reads after "could not"
   * @throws `docker-unavailable`, `docker-request-failed`, and the signal's reason
   */
  async call<T>(
    operation: string,
    request: (docker: Docker, abortSignal: AbortSignal) => Promise<T>,
    { signal }: EngineCallOptions = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const abortSignal = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    try {
      return await request(this.docker, abortSignal);
    } catch (error) {
      signal?.throwIfAborted();
      if (deadline.aborted) {
        const reason = `it did not answer within ${REQUEST_TIMEOUT_MS / 1000} s`;
        throw new DockerRequestFailedError({ operation, reason }, { cause: error });
      }
      throw translateEngineError(error, operation, this.endpoint);
    }
  }

  /** As `call`, for what answers with a stream: only the signal ends it. */
  async open<T>(
    operation: string,
    request: (docker: Docker, abort: { readonly abortSignal?: AbortSignal }) => Promise<T>,
    { signal }: EngineCallOptions = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await request(this.docker, signal === undefined ? {} : { abortSignal: signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw translateEngineError(error, operation, this.endpoint);
    }
  }
}
