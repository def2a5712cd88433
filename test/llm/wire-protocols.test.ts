import { describeWireProtocol } from "../contracts/wire-protocol.contract.ts";
import { WIRE_PROTOCOLS } from "../contracts/wire-protocols.ts";

for (const row of WIRE_PROTOCOLS) describeWireProtocol(row);
