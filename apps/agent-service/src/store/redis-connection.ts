import type { RedisClientType } from 'redis';

// oxlint-disable-next-line no-generated-empty-object-type -- no modules, no functions, no scripts
type None = Record<never, never>;
/** What `createClient()` gives by default. */
export type RedisConnection = RedisClientType<None, None, None, 3, None>;
