import type { Sandbox } from '../sandboxes/sandbox.ts';
import type { Templates } from '../sandboxes/templates.ts';
import { ApiError } from './api-error.ts';
import { compareCursors, decodeCursor, encodeCursor, type ListCursor } from './list-cursor.ts';
import { matchesMetadata, parseMetadataFilter } from './metadata-filter.ts';
import type { ApiAnswer } from './route.ts';
import { toListed } from './sandbox-json.ts';

const LONGEST_PAGE = 100;
const STATES: readonly string[] = ['running', 'paused'];

/** Answers `GET /v2/sandboxes`. */
export function listSandboxes(all: readonly Sandbox[], templates: Templates, query: URLSearchParams): ApiAnswer {
  const states = readStates(query);
  const matching = filterSandboxes(all, templates, query);
  const inState = matching.filter((sandbox) => states.includes(sandbox.publicState));
  const direction = readOrder(query) === 'asc' ? 1 : -1;
  const limit = readLimit(query);
  const token = query.get('nextToken');
  const after = token ? decodeCursor(token) : undefined;
  const rest = inState
    .toSorted((one, other) => direction * compareCursors(cursorOf(one), cursorOf(other)))
    .filter((sandbox) => after === undefined || direction * compareCursors(cursorOf(sandbox), after) > 0);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    status: 200,
    body: page.map(toListed),
    headers: {
      ...(last !== undefined && rest.length > limit && { 'x-next-token': encodeCursor(cursorOf(last)) }),
      ...(states.includes('running') && {
        'x-total-running': String(matching.filter(({ publicState }) => publicState === 'running').length),
      }),
    },
  };
}

function filterSandboxes(all: readonly Sandbox[], templates: Templates, query: URLSearchParams): readonly Sandbox[] {
  const metadata = parseMetadataFilter(query.get('metadata') ?? '');
  const startedAfter = readTime(query);
  const name = query.get('template');
  const lookup = name ? templates.find(name) : undefined;
  const templateId = lookup?.kind === 'found' ? lookup.template.templateId : name;
  return all.filter(
    ({ spec, startedAt }) =>
      matchesMetadata(spec.metadata, metadata) &&
      startedAt.getTime() >= startedAfter &&
      (!templateId || spec.template.templateId === templateId),
  );
}

function cursorOf({ startedAt, sandboxId }: Sandbox): ListCursor {
  return { startedAtMs: startedAt.getTime(), sandboxId };
}

function readStates(query: URLSearchParams): readonly string[] {
  const states = query
    .getAll('state')
    .flatMap((value) => value.split(','))
    .filter(Boolean);
  const unknown = states.find((state) => !STATES.includes(state));
  if (unknown !== undefined) throw new ApiError(400, `Invalid state '${unknown}'`);
  return states.length === 0 ? STATES : states;
}

function readOrder(query: URLSearchParams): 'asc' | 'desc' {
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw new ApiError(400, `Invalid order '${order}'`);
  return order;
}

function readLimit(query: URLSearchParams): number {
  const text = query.get('limit');
  if (text === null) return LONGEST_PAGE;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw new ApiError(400, `Invalid limit '${text}'`);
  return Math.min(limit, LONGEST_PAGE);
}

function readTime(query: URLSearchParams): number {
  const text = query.get('startedAfter');
  if (!text) return -Infinity;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new ApiError(400, `Invalid startedAfter '${text}'`);
  return time;
}
