import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { E2BRequestFailedError } from '@agent-workspace/core';
import type { SandboxFile, SandboxRunResult } from '@agent-workspace/gateway-client';
import type { Sandbox as SdkSandbox } from 'e2b';
import { translateError } from '../control/translate-error.ts';

export interface PutFilesOptions {
  readonly sandbox: SdkSandbox;
  readonly files: readonly SandboxFile[];
  readonly requestTimeoutMs: number;
  readonly run: (argv: readonly string[]) => Promise<SandboxRunResult>;
}

const DEFAULT_MODE = 0o644;

/** Takes three parameters a file: its mode, where it was uploaded, and where it belongs. */
const PLACE = 'while [ $# -gt 0 ]; do chmod "$1" "$2" && mv -f "$2" "$3" || exit 1; shift 3; done';

/** Uploads files beside their places and moves them there, so that what is there is whole. */
export async function putFiles({ sandbox, files, requestTimeoutMs, run }: PutFilesOptions): Promise<void> {
  if (files.length === 0) return;
  const operation = `upload ${files.map(({ path }) => path).join(' and ')}`;
  const uploads = files.map((file) => ({ ...file, partial: `${file.path}.${randomUUID()}` }));
  try {
    await Promise.all(
      uploads.map(async ({ partial, source }) =>
        sandbox.files.write(partial, await openAsBlob(source), { requestTimeoutMs }),
      ),
    );
  } catch (error) {
    throw translateError(error, operation);
  }
  const parameters = uploads.flatMap(({ mode = DEFAULT_MODE, partial, path }) => [mode.toString(8), partial, path]);
  const { exitCode, stderr } = await run(['sh', '-c', PLACE, 'sh', ...parameters]);
  if (exitCode !== 0) throw new E2BRequestFailedError({ operation, reason: stderr.trim() });
}
