// Addresses (`scheme://…`) of which whoever drives an agent says what they hold.

export type HostOutcome<Value = object> = ({ ok: true } & Value) | { ok: false; message: string };

export interface HostScheme {
  /** In lower case. */
  scheme: string;
  description: string;
  writable: boolean;
  /** What was read once can be kept. */
  immutable: boolean;
  /** Never rejects for what the outside world does; `signal` is aborted when nobody waits any more. */
  read(url: string, signal: AbortSignal): Promise<HostOutcome<HostContent>>;
  write(url: string, content: string, signal: AbortSignal): Promise<HostOutcome>;
}

export interface HostContent {
  content: string;
  contentType?: string;
  notes?: readonly string[];
  /** This one can be kept, whatever the scheme says. */
  immutable?: boolean;
}
