import type { FFIFunction, Library } from "bun:ffi";

// Calls of the system's own library that the runtime does not have. Loaded when they are first needed: that takes longer than
// many a command.

/** Throws where the library is not found under any of its names. */
export function cLibrary<Wanted extends Record<string, FFIFunction>>(wanted: Wanted): Library<Wanted>["symbols"] {
  const { dlopen } = foreignFunctions();
  for (const name of NAMES) {
    try {
      return dlopen(name, wanted).symbols;
    } catch {}
  }
  throw new Error("the C library of this system was not found");
}

export function foreignFunctions(): typeof import("bun:ffi") {
  return process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi");
}

/** A system with musl has its library under the name of the machine. */
const NAMES =
  process.platform === "darwin"
    ? ["libSystem.B.dylib"]
    : ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];
