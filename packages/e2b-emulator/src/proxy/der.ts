/** Tags of ASN.1. @see https://www.itu.int/rec/T-REC-X.690 */
const TAG = { boolean: 1, integer: 2, bits: 3, octets: 4, oid: 6, utf8: 12, time: 24, sequence: 48, set: 49 } as const;

/** Encodes one value: its tag, its length, its bytes. */
export function tagged(tag: number, content: Buffer): Buffer {
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const hex = content.length.toString(16);
  const length = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.from([tag, 128 + length.length]), length, content]);
}

/** Tag of the parts of a choice or of what is optional, by number. */
export function contextual(number: number, content: Buffer, isConstructed = true): Buffer {
  return tagged(128 + (isConstructed ? 32 : 0) + number, content);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(TAG.sequence, Buffer.concat(parts));
}

export function set(...parts: readonly Buffer[]): Buffer {
  return tagged(TAG.set, Buffer.concat(parts));
}

/** Of a number that is not negative, big-endian. Encoded in as few bytes as can be: OpenSSL refuses one with more. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  return tagged(TAG.integer, (digits[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

export function boolean(value: boolean): Buffer {
  return tagged(TAG.boolean, Buffer.from([value ? 255 : 0]));
}

export function bits(bytes: Buffer): Buffer {
  return tagged(TAG.bits, Buffer.concat([Buffer.from([0]), bytes]));
}

export function octets(content: Buffer): Buffer {
  return tagged(TAG.octets, content);
}

export function utf8(text: string): Buffer {
  return tagged(TAG.utf8, Buffer.from(text));
}

export function time(date: Date): Buffer {
  return tagged(TAG.time, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, '')));
}

/** @param dotted such as `2.5.29.17` */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const content = [first * 40 + second];
  for (const part of rest) {
    const digits = [part % 128];
    for (let left = Math.floor(part / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(128 + (left % 128));
    content.push(...digits);
  }
  return tagged(TAG.oid, Buffer.from(content));
}
