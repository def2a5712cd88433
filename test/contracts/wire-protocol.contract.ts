import { describe } from "bun:test";
import { describeAnswers } from "./wire-answers.contract.ts";
import { describeBrokenStreams } from "./wire-broken-streams.contract.ts";
import { describeFailures } from "./wire-failures.contract.ts";
import type { WireProtocolRow } from "./wire-protocols.ts";
import { describeRequests } from "./wire-requests.contract.ts";

/** What every wire format must do, however it is spoken. */
export function describeWireProtocol(row: WireProtocolRow): void {
  describe(row.api, () => {
    describeAnswers(row);
    describeBrokenStreams(row);
    describeFailures(row);
    describeRequests(row);
  });
}
