import { z } from 'zod';

/** Text that UTF-8 can hold: no half of a surrogate pair, which would be stored as U+FFFD. */
export function wellFormedText(): z.ZodString {
  return z.string().refine((text) => text.isWellFormed(), 'it has half a surrogate pair, which UTF-8 cannot hold');
}
