import type { SandboxSpec } from '../sandboxes/sandbox-spec.ts';
import type { Template, Templates } from '../sandboxes/templates.ts';
import { ApiError } from './api-error.ts';
import { notEmulated } from './not-emulated.ts';
import type { CreateBody } from './schemas.ts';

/** Of the plans with the longest life. */
const LONGEST_TIMEOUT_HOURS = 24;

export interface CreateDefaults {
  readonly timeoutSeconds: number;
  /** Whether envd asks for a token where the caller does not say. */
  readonly isSecure: boolean;
}

/**
 * What the caller of a create wants, checked.
 *
 * @throws {ApiError} 400, 404, 501
 */
export function toSpec(body: CreateBody, templates: Templates, defaults: CreateDefaults): SandboxSpec {
  const { autoPause = false, autoPauseMemory, autoResume } = body;
  if (body.volumeMounts !== undefined && body.volumeMounts.length > 0) throw notEmulated('mounting volumes');
  if (body.mcp !== undefined && body.mcp !== null) throw notEmulated('MCP gateways');
  if (Object.keys(body.iam?.tokens ?? {}).length > 0) throw notEmulated('iam tokens');
  if (autoPauseMemory === false && !autoPause) {
    throw new ApiError(400, 'autoPauseMemory can only be false together with autoPause');
  }
  if (autoPauseMemory === false && autoResume?.enabled) {
    throw new ApiError(400, 'autoResume cannot be enabled when autoPauseMemory is false');
  }
  return {
    template: findTemplate(templates, body.templateID),
    timeoutMs: toTimeoutMs(body.timeout ?? defaults.timeoutSeconds),
    metadata: body.metadata ?? {},
    envVars: body.envVars ?? {},
    isSecure: body.secure ?? defaults.isSecure,
    network: body.network,
    allowInternetAccess: body.allow_internet_access,
    onTimeout: autoPause ? 'pause' : 'kill',
    pauseKeepsMemory: autoPauseMemory ?? true,
    autoResume: autoPause && (autoResume?.enabled ?? false),
  };
}

/**
 * Checks the time of a sandbox, in seconds.
 *
 * @throws {ApiError} 400
 */
function toTimeoutMs(seconds: number): number {
  if (seconds <= 0) throw new ApiError(400, 'Timeout must be greater than 0');
  return withinLongest(seconds);
}

/**
 * As {@link toTimeoutMs}, where no time at all is one, too.
 *
 * @throws {ApiError} 400
 */
export function withinLongest(seconds: number): number {
  if (seconds > LONGEST_TIMEOUT_HOURS * 3600) {
    throw new ApiError(400, `Timeout cannot be greater than ${LONGEST_TIMEOUT_HOURS} hours`);
  }
  return seconds * 1000;
}

function findTemplate(templates: Templates, reference: string): Template {
  const lookup = templates.find(reference);
  switch (lookup.kind) {
    case 'found':
      return lookup.template;
    case 'unknown-template':
      throw new ApiError(404, `template '${lookup.name}' not found`);
    case 'unknown-tag':
      throw new ApiError(404, `tag '${lookup.tag}' does not exist for template '${lookup.name}'`);
  }
}
