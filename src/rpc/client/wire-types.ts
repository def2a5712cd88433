import type { HostSchemeDefinition, HostToolDefinition } from "../command-shapes.ts";
import type { RpcCommandName, RpcParams, RpcResult } from "../commands.ts";
import type { Inbound, Outbound, OutboundName } from "../frames.ts";
import type { SessionEvent } from "../session-event-shapes.ts";
import type { WireImage, WireMessage, WireText } from "../wire-shapes.ts";

// The words of the wire, as types alone: the client runs without the schemas they come from. scripts/client-types.ts writes the
// same names out for programs that have no schemas at all, so this file has nothing else in it.

export type Commands = { [Name in RpcCommandName]: { params: RpcParams<Name>; result: RpcResult<Name> } };
export type OutboundFrames = { [Name in OutboundName]: Outbound<Name> };
export type UiResponseFrame = Inbound<"extension_ui_response">;
export type UriResultFrame = Inbound<"host_uri_result">;
export type ToolResultFrame = Inbound<"host_tool_result">;
export type Message = WireMessage;
export type Image = WireImage;
export type Content = WireText | WireImage;
export type HostTool = HostToolDefinition;
export type HostScheme = HostSchemeDefinition;
export type { SessionEvent };
