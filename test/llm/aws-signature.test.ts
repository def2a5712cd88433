import { describe, expect, test } from "bun:test";
import { type SignableRequest, signAwsRequest } from "../../src/llm/aws-signature.ts";

const CREDENTIAL = {
  type: "aws",
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
} as const;

function sign(more: Partial<SignableRequest> = {}) {
  return signAwsRequest({
    method: "GET",
    url: "https://example.amazonaws.com/",
    headers: {},
    body: "",
    service: "service",
    credential: CREDENTIAL,
    now: new Date("2015-08-30T12:36:00.987Z"),
    ...more,
  });
}

function authorization(signedHeaders: string, signature: string, service = "service"): string {
  const scope = `20150830/us-east-1/${service}/aws4_request`;
  return `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

describe("the published Signature Version 4 test suite", () => {
  const cases: [string, Partial<SignableRequest>, string, string][] = [
    ["get-vanilla", {}, "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    [
      "post-vanilla",
      { method: "POST" },
      "host;x-amz-date",
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
    [
      "get-vanilla-query-order-key-case",
      { url: "https://example.amazonaws.com/?Param2=value2&Param1=value1" },
      "host;x-amz-date",
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [
      "get-header-value-trim",
      { headers: { "My-Header1": " value1", "My-Header2": ' "a   b   c"' } },
      "host;my-header1;my-header2;x-amz-date",
      "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ],
    [
      "post-x-www-form-urlencoded",
      { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: "Param1=value1" },
      "content-type;host;x-amz-date",
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ];
  for (const [name, request, signedHeaders, signature] of cases) {
    test(`${name} gets the published signature`, () => {
      expect(sign(request).authorization).toBe(authorization(signedHeaders, signature));
    });
  }
});

const BEDROCK: Partial<SignableRequest> = {
  method: "POST",
  url: "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
  headers: { "content-type": "application/json" },
  body: '{"messages":[]}',
  service: "bedrock",
};

test("an encoded model id in the path is encoded once more, as AWS's own signer does", () => {
  expect(sign(BEDROCK)).toEqual({
    "content-type": "application/json",
    "x-amz-date": "20150830T123600Z",
    authorization: authorization(
      "content-type;host;x-amz-date",
      "84398646bf3400b6fe124cbb6c76b1ed0ceebcfcb83d3c5a6503a351fa906a98",
      "bedrock",
    ),
  });
});

test("a session token is sent and signed", () => {
  expect(sign({ ...BEDROCK, credential: { ...CREDENTIAL, sessionToken: "TOKEN" } })).toEqual({
    "content-type": "application/json",
    "x-amz-date": "20150830T123600Z",
    "x-amz-security-token": "TOKEN",
    authorization: authorization(
      "content-type;host;x-amz-date;x-amz-security-token",
      "91d3e4cf779a0ac87fe1e3c641e210f549f33a167eb379cf6f9bf53a391f60b9",
      "bedrock",
    ),
  });
});

test("headers the transport may change are sent but not signed, and an older authorization is replaced", () => {
  const noise = { "user-agent": "ralph", accept: "application/json", authorization: "Bearer old" };
  const signed = sign({ ...BEDROCK, headers: { "content-type": "application/json", ...noise } });
  expect(signed).toEqual({ ...sign(BEDROCK), "user-agent": "ralph", accept: "application/json" });
});

test("a body of bytes and the same body as text get the same signature", () => {
  const body = '{"text":"Grüße"}';
  expect(sign({ ...BEDROCK, body: new TextEncoder().encode(body) })).toEqual(sign({ ...BEDROCK, body }));
});
