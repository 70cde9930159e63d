import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Logger } from '@agent-workspace/core';
import { z } from 'zod';
import { UsageError } from '../options.ts';
import { TenantTokens } from './tenant-tokens.ts';

/** Whose the token is that is made where none is configured. */
const OWN_TENANT = 'owner';
/** A shorter one can be guessed. */
const LEAST_TOKEN_LENGTH = 16;
const OTHERS_MAY_READ = 0o044;

const tokensSchema = z.record(
  z.string().min(LEAST_TOKEN_LENGTH, `a token has at least ${LEAST_TOKEN_LENGTH} characters`),
  z.string().min(1, 'a tenant has a name').max(200),
);

export interface LoadTokensOptions {
  readonly tokensFile: string | undefined;
  readonly tokensJson: string | undefined;
  readonly isSingleTenant: boolean;
  readonly logger: Logger;
}

export interface LoadedTokens {
  readonly tokens: TenantTokens;
  /** One that was made at this start: to be shown once. */
  readonly made?: string | undefined;
}

/** @throws UsageError where what is configured cannot be used. The message has no token in it. */
export async function loadTokens(options: LoadTokensOptions): Promise<LoadedTokens> {
  const { tokensFile, tokensJson, isSingleTenant, logger } = options;
  const texts = new Map<string, string>();
  if (tokensJson !== undefined) texts.set('AGENT_SERVICE_TOKENS', tokensJson);
  if (tokensFile !== undefined) texts.set(tokensFile, await readTokens(tokensFile, logger));
  if (texts.size === 0) {
    const made = randomBytes(24).toString('base64url');
    return { tokens: new TenantTokens({ [made]: OWN_TENANT }), made };
  }
  const all = Object.assign({}, ...[...texts].map(([where, text]) => parseTokens(where, text))) as Record<
    string,
    string
  >;
  const tokens = new TenantTokens(all);
  const { size } = tokens.tenants;
  if (size === 0) throw new UsageError(`There is no token in ${[...texts.keys()].join(' and ')}.`);
  if (isSingleTenant && size > 1)
    throw new UsageError(`--single-tenant is for one tenant, and the tokens name ${size}.`);
  return { tokens };
}

async function readTokens(file: string, logger: Logger): Promise<string> {
  try {
    const { mode } = await stat(file);
    if ((mode & OTHERS_MAY_READ) !== 0)
      logger.warn('Others on this machine may read the tokens: chmod 600 them.', { file });
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The tokens cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** What went wrong is told by kind alone, since a key of the table is a secret. */
function parseTokens(where: string, text: string): Readonly<Record<string, string>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${where} is not JSON.`);
  }
  const parsed = tokensSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const reasons = new Set(
    parsed.error.issues.map((issue) => (issue.code === 'invalid_key' ? issue.issues : [issue])[0]?.message),
  );
  throw new UsageError(`${where} has to be { "token": "tenant" }: ${[...reasons].join('; ')}.`);
}
