import type { Clock } from "../system/clock.ts";

/** A bound for work during which a person may be asked: their time does not count. */
export interface GateDeadline {
  /** Rejects when the work takes too long. */
  within<T>(work: Promise<T>): Promise<T>;
  /** No deadline passes before this is settled. */
  waitFor<T>(person: Promise<T>): Promise<T>;
}

export function createGateDeadline(clock: Clock, milliseconds: number): GateDeadline {
  let asking = 0;
  return {
    async within(work) {
      const late = Promise.withResolvers<never>();
      let stop = () => {};
      const arm = () => {
        stop = clock.timer(milliseconds, () => (asking > 0 ? arm() : late.reject(tooLate(milliseconds))));
      };
      arm();
      try {
        return await Promise.race([work, late.promise]);
      } finally {
        stop();
      }
    },
    async waitFor(person) {
      asking++;
      try {
        return await person;
      } finally {
        asking--;
      }
    },
  };
}

function tooLate(milliseconds: number): Error {
  return new Error(`it did not decide within ${milliseconds / 1000} s`);
}
