// Finds the package with the programs for this platform, runs one of them with the same arguments and streams, and ends as it ends.

import { spawn } from "node:child_process";
import { chmodSync, existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** Signals that a client or a terminal sends to end a program. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Whether this Node runs with glibc. The musl builds run everywhere on Linux, because they are linked statically. */
function hasGlibc() {
  return Boolean(process.report?.getReport().header.glibcVersionRuntime);
}

/** The packages whose programs run here, the best first. */
export function packagesFor(platform, arch, glibc) {
  const name = `@sdl-ledger/${platform}-${arch}`;
  if (platform !== "linux") return [name];
  return glibc ? [name, `${name}-musl`] : [`${name}-musl`];
}

/** The path of a program, or undefined if no package for this platform is installed. */
export function findProgram(program, packages, resolve = (name) => require.resolve(name)) {
  const file = process.platform === "win32" ? `${program}.exe` : program;
  for (const name of packages) {
    let folder;
    try {
      folder = dirname(resolve(`${name}/package.json`));
    } catch {
      continue;
    }
    const path = join(folder, "bin", file);
    if (existsSync(path)) return path;
  }
  return undefined;
}

/** Some ways of unpacking lose the mode, and the daemon is started by its path, so all programs get it back. */
function makeExecutable(path) {
  if (process.platform === "win32") return;
  const names = ["sdld", "sdl-gate", "sdl-mcp", "sdl-http", "sdl-ui", "sdl-share", "sdlctl"];
  for (const file of names.map((name) => join(dirname(path), name)).filter(existsSync)) {
    if ((statSync(file).mode & 0o111) === 0) chmodSync(file, 0o755);
  }
}

export function runProgram(program) {
  const packages = packagesFor(process.platform, process.arch, hasGlibc());
  const path = findProgram(program, packages);
  if (!path) {
    const advice = "reinstall sdl-ledger without --omit=optional, or build from source";
    console.error(`sdl-ledger: no programs for ${process.platform}-${process.arch}: ${packages[0]} is not installed; ${advice}`);
    process.exit(1);
  }
  makeExecutable(path);
  // Streams are inherited, so bytes of MCP pass this process by.
  const child = spawn(path, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`sdl-ledger: can't run ${path}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1)));
}
