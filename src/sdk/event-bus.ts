import { surface } from "./ralph-error.ts";

/** Carries messages between the parts of a program, by channel. Sessions tell what happens in them on the channel of its type. */
export class EventBus {
  private readonly listeners = new Map<string, Set<(data: unknown) => void>>();

  /** Returns how to stop listening. */
  on(channel: string, listener: (data: unknown) => void): () => void {
    const here = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, here);
    // The same function may listen twice.
    const own = (data: unknown) => listener(data);
    here.add(own);
    return () => {
      here.delete(own);
      if (here.size === 0 && this.listeners.get(channel) === here) this.listeners.delete(channel);
    };
  }

  emit(channel: string, data: unknown): void {
    for (const listener of [...(this.listeners.get(channel) ?? [])]) {
      try {
        listener(data);
      } catch (error) {
        surface(error);
      }
    }
  }
}
