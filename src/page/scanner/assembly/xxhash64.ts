/** XXH64 with seed 0, after its public specification: a streaming hash whose digest may be asked for at any time. */

const P1: u64 = 0x9e3779b185ebca87;
const P2: u64 = 0xc2b2ae3d27d4eb4f;
const P3: u64 = 0x165667b19e3779f9;
const P4: u64 = 0x85ebca77c2b2ae63;
const P5: u64 = 0x27d4eb2f165667c5;

// @ts-ignore: decorator
@inline
function round(lane: u64, input: u64): u64 {
  return rotl<u64>(lane + input * P2, 31) * P1;
}

// @ts-ignore: decorator
@inline
function merge(hash: u64, lane: u64): u64 {
  return (hash ^ round(0, lane)) * P1 + P4;
}


/** Bytes of one hash in memory: 48 of fields, then a stripe of 32 that is not full yet. */
export const HASH_BYTES: i32 = 80;

// @ts-ignore: decorator
@unmanaged
export class Hash {
  lane1: u64;
  lane2: u64;
  lane3: u64;
  lane4: u64;
  total: u64;
  rest: usize;

  private get stripe(): usize {
    return changetype<usize>(this) + 48;
  }

  reset(): void {
    this.lane1 = P1 + P2;
    this.lane2 = P2;
    this.lane3 = 0;
    this.lane4 = 0 - P1;
    this.total = 0;
    this.rest = 0;
  }

  update(from: usize, length: usize): void {
    this.total += length;
    let at = from;
    const end = from + length;
    if (this.rest > 0) {
      const missing = min<usize>(32 - this.rest, length);
      memory.copy(this.stripe + this.rest, at, missing);
      this.rest += missing;
      at += missing;
      if (this.rest < 32) return;
      this.stripes(this.stripe, this.stripe + 32);
    }
    at = this.stripes(at, end);
    this.rest = end - at;
    memory.copy(this.stripe, at, this.rest);
  }

  /** Takes whole stripes of 32 bytes; returns where the first stripe that is not whole begins. */
  private stripes(from: usize, end: usize): usize {
    let at = from;
    let a = this.lane1;
    let b = this.lane2;
    let c = this.lane3;
    let d = this.lane4;
    for (; at + 32 <= end; at += 32) {
      a = round(a, load<u64>(at));
      b = round(b, load<u64>(at, 8));
      c = round(c, load<u64>(at, 16));
      d = round(d, load<u64>(at, 24));
    }
    this.lane1 = a;
    this.lane2 = b;
    this.lane3 = c;
    this.lane4 = d;
    return at;
  }

  digest(): u64 {
    let hash = this.total < 32 ? P5 : this.converged();
    hash += this.total;
    let at = this.stripe;
    const end = at + this.rest;
    for (; at + 8 <= end; at += 8) hash = rotl<u64>(hash ^ round(0, load<u64>(at)), 27) * P1 + P4;
    if (at + 4 <= end) {
      hash = rotl<u64>(hash ^ (<u64>load<u32>(at) * P1), 23) * P2 + P3;
      at += 4;
    }
    for (; at < end; at++) hash = rotl<u64>(hash ^ (<u64>load<u8>(at) * P5), 11) * P1;
    hash = (hash ^ (hash >> 33)) * P2;
    hash = (hash ^ (hash >> 29)) * P3;
    return hash ^ (hash >> 32);
  }

  private converged(): u64 {
    let hash = rotl<u64>(this.lane1, 1) + rotl<u64>(this.lane2, 7) + rotl<u64>(this.lane3, 12) + rotl<u64>(this.lane4, 18);
    hash = merge(hash, this.lane1);
    hash = merge(hash, this.lane2);
    hash = merge(hash, this.lane3);
    return merge(hash, this.lane4);
  }
}
