/** One frame as it stood on the wire. `event` is empty where the framing has no names. */
export interface RawFrame {
  event: string;
  data: string;
}

/** Cuts bytes, in whatever pieces they arrive, into frames. A decoder keeps state and serves one answer. */
export interface Decoder {
  /** `problem` says in words why the bytes cannot be what the framing promises; nothing after it is read. */
  push(bytes: Uint8Array): { frames: RawFrame[]; problem?: string };
  /** What was left when the bytes ended; `cut` when it was the beginning of a frame. */
  end(): { frames: RawFrame[]; cut: boolean };
}

/** More than any provider sends in one event; a longer one is refused instead of filling the memory. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;
