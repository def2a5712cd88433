import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Checked,
  dottedValues,
  isSettingKey,
  type Layer,
  mergeLayers,
  SETTING_KEYS,
} from "../../../src/cli/settings/layers.ts";
import { SETTING_ROWS } from "../../../src/protocol/setting-rows.ts";

const LAYERS = ["user", "project", "project-local", "environment", "flag"] as const;

describe("merging layers", () => {
  test("takes from the files of an untrusted project only what takes away, and names what it left out", () => {
    const ok = (value: unknown): Checked => ({ ok: true, value });
    const layers: Layer<Checked>[] = (["project", "project-local"] as const).map((layer) => ({
      origin: { layer, place: layer },
      values: [
        ["modelProviderOrder", ok([layer])],
        ["disabledProviders", ok([layer])],
        ["apiUrl", ok("http://evil.test")],
      ],
    }));
    const { values, problems, untrusted } = mergeLayers(layers, () => false);
    expect({ values, untrusted, problems: problems.map(({ key }) => key) }).toEqual({
      values: { ...mergeLayers([], () => false).values, disabledProviders: ["project", "project-local"] },
      untrusted: layers.map(({ origin }) => ({ origin, key: "modelProviderOrder" })),
      problems: ["apiUrl", "apiUrl"],
    });
    expect(mergeLayers(layers, () => true).values.modelProviderOrder).toEqual(["project-local"]);
  });

  test("without any gives the defaults, each with its origin", () => {
    const { values, history, problems } = mergeLayers([], () => true);
    const defaults = Object.entries(SETTING_ROWS).flatMap(([key, row]) =>
      row.default === undefined ? [] : [[key, row.default] as const],
    );
    expect(values as Record<string, unknown>).toEqual(Object.fromEntries(defaults));
    expect([...history.values()]).toEqual(
      defaults.map(([, value]) => [{ origin: { layer: "default", place: "built in" }, value }]),
    );
    expect(problems).toEqual([]);
  });

  test("lets the last layer that may set a key decide, and remembers all of them in order", () => {
    const layer = fc.record({
      layer: fc.constantFrom(...LAYERS),
      key: fc.constantFrom(...SETTING_KEYS),
      checked: fc.oneof(
        fc.integer().map((value): Checked => ({ ok: true, value })),
        fc.constant<Checked>({ ok: false, message: "wrong" }),
      ),
    });
    fc.assert(
      fc.property(fc.array(layer), (given) => {
        const layers = given.map(
          ({ layer: name, key, checked }, index): Layer<Checked> => ({
            origin: { layer: name, place: String(index) },
            values: [[key, checked]],
          }),
        );
        const settings = mergeLayers(layers, () => true);
        const mayNot = (name: string, key: (typeof SETTING_KEYS)[number]) =>
          name.startsWith("project") && SETTING_ROWS[key].project === "never";
        const accepted = given.filter(({ layer: name, key, checked }) => checked.ok && !mayNot(name, key));
        expect(settings.problems).toHaveLength(given.length - accepted.length);
        for (const key of SETTING_KEYS) {
          const set = accepted.filter((one) => one.key === key).map(({ checked }) => checked.ok && checked.value);
          const own = SETTING_ROWS[key].default;
          const expected: unknown[] = own === undefined ? set : [own, ...set];
          expect((settings.history.get(key) ?? []).map(({ value }) => value)).toEqual(expected);
          expect(settings.values[key] as unknown).toEqual(expected.at(-1));
        }
      }),
    );
  });
});

describe("the keys of a file", () => {
  test("may be nested or dotted, and unknown ones are named whole", () => {
    const document = {
      model: "m",
      "retry.factor": 3,
      retry: { baseDelayMs: 5, other: 1 },
      nested: { deep: { key: 1 } },
      timeouts: 7,
      effort: null,
    };
    expect(dottedValues(document)).toEqual([
      ["model", "m"],
      ["retry.baseDelayMs", 5],
      ["retry.factor", 3],
      ["retry.other", null],
      ["nested", null],
      ["timeouts", null],
    ]);
  });

  test("of anything that is not an object are none", () => {
    for (const document of [null, undefined, "text", 5, [1]]) expect(dottedValues(document)).toEqual([]);
  });

  test("are read without throwing, whatever the file holds", () => {
    fc.assert(fc.property(fc.jsonValue(), (document) => void dottedValues(document)));
  });

  test("never are names every object has", () => {
    for (const name of ["constructor", "__proto__", "toString"]) expect(isSettingKey(name)).toBe(false);
  });
});
