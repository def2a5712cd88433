/** Names for calls that no other call of the session has: providers give the same id again in another answer. */
export class CallIds {
  private readonly opened = new Map<string, number>();

  /** The name of a new call. */
  open(id: string): string {
    this.opened.set(id, (this.opened.get(id) ?? 0) + 1);
    return this.now(id);
  }

  /** The name of the newest call with this id. */
  now(id: string): string {
    const count = this.opened.get(id) ?? 1;
    return count === 1 ? id : `${id}#${count}`;
  }
}
