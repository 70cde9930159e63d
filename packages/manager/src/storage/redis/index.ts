export { type RedisClient, RedisStorage, type RedisStorageOptions } from './redis-storage.ts';
