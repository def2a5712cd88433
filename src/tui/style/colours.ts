import type { Colour, ColourName } from "./styled-line.ts";

// A colour as the terminal at hand can show it.

/** `none` leaves colours out and keeps bold, underline and the like: they are no colours. */
export type ColourDepth = "none" | "16" | "256" | "true";

const NAMES: readonly ColourName[] = [
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "bright-black",
  "bright-red",
  "bright-green",
  "bright-yellow",
  "bright-blue",
  "bright-magenta",
  "bright-cyan",
  "bright-white",
];

/** What xterm shows for the sixteen; other terminals differ, so these are only used to find the nearest one. */
const SIXTEEN: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

type Rgb = readonly [red: number, green: number, blue: number];

/** The parameters of the SGR sequence that sets a colour; empty where the terminal shows none. */
export function colourCode(colour: Colour, depth: ColourDepth, ground: "foreground" | "background"): string {
  if (depth === "none") return "";
  const base = ground === "foreground" ? 38 : 48;
  const rgb = typeof colour === "string" && colour.startsWith("#") ? readHex(colour) : undefined;
  if (rgb !== undefined && depth === "true") return `${base};2;${rgb.join(";")}`;
  const place = rgb === undefined ? placeOf(colour) : depth === "16" ? nearest(rgb, SIXTEEN) : nearestOf256(rgb);
  const shown = depth === "16" && place > 15 ? nearest(rgbOf256(place), SIXTEEN) : place;
  if (shown > 15) return `${base};5;${shown}`;
  const first = ground === "foreground" ? 30 : 40;
  return String(shown < 8 ? first + shown : first + 52 + shown);
}

function placeOf(colour: Colour): number {
  if (typeof colour === "number") return Math.min(255, Math.max(0, Math.trunc(colour)));
  const place = (NAMES as readonly Colour[]).indexOf(colour);
  return place < 0 ? 7 : place;
}

function readHex(colour: string): Rgb | undefined {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  if (digits === null) return undefined;
  return [
    Number.parseInt(digits[1] ?? "", 16),
    Number.parseInt(digits[2] ?? "", 16),
    Number.parseInt(digits[3] ?? "", 16),
  ];
}

const CUBE = [0, 95, 135, 175, 215, 255];

function nearestOf256(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((value) => nearestStep(value));
  const cube = 16 + 36 * (red ?? 0) + 6 * (green ?? 0) + (blue ?? 0);
  const average = (rgb[0] + rgb[1] + rgb[2]) / 3;
  const grey = 232 + Math.min(23, Math.max(0, Math.round((average - 8) / 10)));
  return distance(rgbOf256(grey), rgb) < distance(rgbOf256(cube), rgb) ? grey : cube;
}

function nearestStep(value: number): number {
  return CUBE.reduce(
    (best, step, index) => (Math.abs(step - value) < Math.abs((CUBE[best] ?? 0) - value) ? index : best),
    0,
  );
}

function rgbOf256(place: number): Rgb {
  if (place < 16) return SIXTEEN[place] ?? [0, 0, 0];
  if (place >= 232) return [8 + (place - 232) * 10, 8 + (place - 232) * 10, 8 + (place - 232) * 10];
  const cube = place - 16;
  return [CUBE[Math.floor(cube / 36)] ?? 0, CUBE[Math.floor(cube / 6) % 6] ?? 0, CUBE[cube % 6] ?? 0];
}

function nearest(rgb: Rgb, table: readonly Rgb[]): number {
  return table.reduce(
    (best, entry, index) => (distance(entry, rgb) < distance(table[best] ?? entry, rgb) ? index : best),
    0,
  );
}

function distance(a: Rgb, b: Rgb): number {
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
}

/** Whether a background, as `#rrggbb`, is a dark one. */
export function isDark(colour: string): boolean {
  const [red, green, blue] = readHex(colour) ?? [0, 0, 0];
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}
