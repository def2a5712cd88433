import { asNumber, asObject, asString, parseJson } from "../../protocol/json.ts";

/** What a login gave, as it is sealed. It is renewed only where it came from. */
export interface StoredLogin {
  accessToken: string;
  /** Absent where the login cannot be renewed. */
  refreshToken?: string;
  accountId?: string;
  /** Wall clock, milliseconds; absent where nobody said. */
  expiresAt?: number;
  issuer: string;
  clientId: string;
}

/** What a renewal gave. A missing refresh token leaves the old one in force. */
export interface RenewedTokens {
  accessToken: string;
  refreshToken?: string;
  accountId?: string;
  expiresAt?: number;
}

export type Renewal =
  | { ok: true; tokens: RenewedTokens }
  /** `isOver`: the other side will never renew it again. */
  | { ok: false; isOver: boolean; message: string };

export type RenewLogin = (login: StoredLogin) => Promise<Renewal>;

/** So long before its end a token is no longer begun with: a request may wait on its way. */
export const RENEW_AHEAD_MS = 60_000;

export function needsRenewal({ expiresAt }: Pick<StoredLogin, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && expiresAt - now <= RENEW_AHEAD_MS;
}

export function renewedLogin(login: StoredLogin, tokens: RenewedTokens): StoredLogin {
  const { expiresAt: _, ...kept } = login;
  return { ...kept, ...tokens };
}

export function printLogin(login: StoredLogin): string {
  return JSON.stringify(login);
}

export function parseLogin(text: string): StoredLogin | undefined {
  const object = asObject(parseJson(text));
  const accessToken = asString(object?.accessToken);
  const issuer = asString(object?.issuer);
  const clientId = asString(object?.clientId);
  if (object === undefined || accessToken === undefined || issuer === undefined || clientId === undefined)
    return undefined;
  const refreshToken = asString(object.refreshToken);
  const accountId = asString(object.accountId);
  const expiresAt = asNumber(object.expiresAt);
  return {
    accessToken,
    issuer,
    clientId,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
